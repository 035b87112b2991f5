import { table } from '../../../shared/table.ts';

/** By which member the items of a list are told apart: the patch merge keys of the types of Kubernetes. */

const OF_CONTAINERS = {
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  env: 'name',
  ports: 'containerPort',
};
const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'];

const OF_PODS: Readonly<Record<string, string>> = table({
  volumes: 'name',
  imagePullSecrets: 'name',
  ...Object.fromEntries(CONTAINERS.map((list) => [list, 'name'])),
  ...Object.fromEntries(
    CONTAINERS.flatMap((list) =>
      Object.entries(OF_CONTAINERS).map(([member, key]) => [`${list}.${member}`, key]),
    ),
  ),
});

const POD_SPECS = [
  'Pod.spec',
  'Deployment.spec.template.spec',
  'DaemonSet.spec.template.spec',
  'StatefulSet.spec.template.spec',
  'Job.spec.template.spec',
  'CronJob.spec.jobTemplate.spec.template.spec',
];

const KEYS: ReadonlyMap<string, string> = new Map([
  ['Service.spec.ports', 'port'],
  ['ServiceAccount.secrets', 'name'],
  ['ValidatingWebhookConfiguration.webhooks', 'name'],
  ['MutatingWebhookConfiguration.webhooks', 'name'],
  ...POD_SPECS.flatMap((prefix) =>
    Object.entries(OF_PODS).map(([path, key]): [string, string] => [`${prefix}.${path}`, key]),
  ),
]);

/** The key of a list at a position such as `Deployment.spec.template.spec.containers`; undefined: it is replaced whole. */
export function mergeKeyOf(position: string): string | undefined {
  return KEYS.get(position);
}

/** Items by their keys; undefined where an item has none, or two have the same. */
export function byMergeKey(
  items: readonly unknown[],
  key: string,
): ReadonlyMap<unknown, Readonly<Record<string, unknown>>> | undefined {
  const found = new Map<unknown, Readonly<Record<string, unknown>>>();
  for (const item of items) {
    const members = item as Readonly<Record<string, unknown>> | null;
    const id = members?.[key];
    if (members === null || id === undefined || found.has(id)) return undefined;
    found.set(id, members);
  }
  return found;
}
