import { type Conversation, defineConversation, type Result, TaskError } from '../engine/module.ts';
import { type Infer, list, object, optional, string } from '../shared/schema.ts';
import type { Cluster } from './support/kubernetes/cluster.ts';
import { clusterError } from './support/kubernetes/cluster-error.ts';
import { connectionArgs } from './support/kubernetes/connection-args.ts';
import {
  findObjects,
  type Ground,
  isForeseen,
  misunderstood,
  type Selection,
  unservedSince,
} from './support/kubernetes/find-objects.ts';
import { hideFields } from './support/kubernetes/hidden-fields.ts';
import { type Json, memberOf, textOf } from './support/kubernetes/json.ts';
import { nameArgs, waitArgs } from './support/kubernetes/k8s-args.ts';
import { openCluster } from './support/kubernetes/open-cluster.ts';
import { isReady } from './support/kubernetes/readiness.ts';
import { waitFor } from './support/kubernetes/wait-for-object.ts';

const args = object({
  ...nameArgs,
  kind: string('Kind, plural, singular or short name of the objects.'),
  label_selectors: list(
    string('`key=value`, `key in (a, b)`, `!key`, …'),
    'Only objects whose labels match all.',
    { default: [] },
  ),
  field_selectors: list(
    string('Such as `status.phase=Running`.'),
    'Only objects whose fields match all.',
    { default: [] },
  ),
  hidden_fields: optional(
    list(string('Such as `metadata.managedFields`.'), 'What to leave out of results.'),
  ),
  ...waitArgs,
  ...connectionArgs,
});
type Args = Infer<typeof args>;

export const k8sInfo = defineConversation({
  name: 'k8s_info',
  aliases: ['kubernetes.core.k8s_info', 'community.kubernetes.k8s_info'],
  groups: ['kubernetes.core.k8s', 'community.kubernetes.k8s'],
  summary: 'Read objects of a Kubernetes cluster.',
  args,

  examples: [
    {
      title: 'Read one object, on a node of the control plane',
      args: {
        kubeconfig: '/etc/kubernetes/admin.conf',
        api_version: 'apps/v1',
        kind: 'Deployment',
        name: 'web',
        namespace: 'shop',
      },
    },
    {
      title: 'List the running pods of an application',
      args: {
        kind: 'Pod',
        label_selectors: ['app = web', 'tier in (dev, test)'],
        field_selectors: ['status.phase=Running'],
      },
    },
    {
      title: 'Wait until every node is ready',
      args: { kind: 'Node', wait: true, wait_condition: { type: 'Ready', status: 'True' } },
    },
  ],

  returns: {
    api_found: 'Whether the cluster serves the kind.',
    resources: 'The objects; none where there are none, or the kind is not served.',
    msg: 'Why the kind was not found.',
    warnings: 'Why nothing was found, where the question was at fault.',
  },

  async run(talk, given) {
    const cluster = await openCluster(talk.host, talk.controller, given);
    try {
      return { result: await find(talk, cluster, given) };
    } catch (error) {
      throw await clusterError(error, cluster);
    }
  },
});

async function find(talk: Conversation, cluster: Cluster, given: Args): Promise<Result> {
  const kind = await cluster.discovery
    .lookUp(given.api_version, given.kind)
    .catch((error: Error) => {
      if (error.name === 'UnknownKind') return error.message;
      throw error;
    });
  if (typeof kind === 'string') return unserved(given, kind);
  const ground = { reader: talk.host, cluster };
  const selection: Selection = {
    kind,
    name: given.name || undefined,
    namespace: given.namespace || undefined,
    labels: given.label_selectors,
    fields: given.field_selectors,
  };
  try {
    const found = await look(ground, selection, given, talk.signal);
    const resources = given.wait ? await waitForAll(talk, ground, selection, given, found) : found;
    const warning = resources.length === 0 ? whyNone(selection) : undefined;
    return {
      api_found: true,
      resources: resources.map((each) => hideFields(each, given.hidden_fields)),
      ...(warning !== undefined && { warnings: [warning] }),
    };
  } catch (error) {
    const gone = unservedSince(error);
    if (gone !== undefined) return unserved(given, gone);
    const warning = misunderstood(error);
    if (warning === undefined) throw error;
    return { api_found: true, resources: [], warnings: [warning] };
  }
}

function unserved({ api_version: version, kind }: Args, why: string): Result {
  const msg = `Failed to find API for resource with apiVersion "${version}" and kind "${kind}": ${why}`;
  return { api_found: false, resources: [], msg };
}

/** The objects; where they are waited for, as soon as there is one. */
async function look(
  ground: Ground,
  selection: Selection,
  given: Args,
  signal: AbortSignal,
): Promise<readonly Json[]> {
  const limits = { ...given, wait_timeout: given.wait ? given.wait_timeout : 0 };
  const { seen } = await waitFor(
    () => findObjects(ground, selection),
    (objects) => objects.length > 0,
    limits,
    signal,
  );
  return seen;
}

async function waitForAll(
  talk: Conversation,
  ground: Ground,
  selection: Selection,
  given: Args,
  found: readonly Json[],
): Promise<readonly Json[]> {
  const ready: Json[] = [];
  for (const object of found) {
    // In a check run nothing becomes ready.
    const isDone = (seen: Json | undefined) =>
      seen !== undefined &&
      (isReady(seen, given.wait_condition) || isForeseen(ground, selection.kind, seen));
    const one = { ...selection, ...nameOf(object), labels: [], fields: [] };
    const waited = await waitFor(
      async () => (await findObjects(ground, one))[0],
      isDone,
      given,
      talk.signal,
    );
    if (!waited.isDone || waited.seen === undefined) throw notReady(object, waited.seconds);
    ready.push(waited.seen);
  }
  return ready;
}

function nameOf(object: Json): Pick<Selection, 'name' | 'namespace'> {
  const metadata = memberOf(object, 'metadata');
  return { name: textOf(metadata, 'name'), namespace: textOf(metadata, 'namespace') };
}

function notReady(object: Json, seconds: number): TaskError {
  const { name, namespace } = nameOf(object);
  const kind = textOf(object, 'kind');
  const which = namespace === undefined ? name : `${namespace}/${name}`;
  return new TaskError(
    `Failed to gather information about ${kind}(s) even after waiting for ${seconds} seconds: ${which} is not ready`,
    { hint: `look at its status and events: kubectl describe ${kind?.toLowerCase()} ${name}` },
  );
}

function whyNone({ kind, name, namespace }: Selection): string | undefined {
  if (name === undefined || namespace !== undefined || !kind.isNamespaced) return undefined;
  return `objects of the kind ${kind.kind} are in namespaces: "${name}" is not found without its namespace`;
}
