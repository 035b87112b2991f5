import { table } from '../../shared/table.ts';
import { splitFullName } from './ansible-world.ts';

/** Groups of modules that `module_defaults` may name, as `group/k8s`. */

const PREFIX = 'group/';
const BUILTIN = 'ansible.builtin.';

/**
 * Groups that ansible-core knows whatever is installed, by short name, and the groups of collections for which they
 * stand. Source: what ansible-core 2.19 accepts; it has no groups of its own modules.
 */
const GROUPS: Readonly<Record<string, readonly string[]>> = table({
  acme: ['community.crypto.acme'],
  aws: ['amazon.aws.aws', 'community.aws.aws'],
  azure: ['azure.azcollection.azure'],
  cpm: ['wti.remote.cpm'],
  docker: ['community.docker.docker', 'community.general.docker'],
  gcp: ['google.cloud.gcp'],
  k8s: ['kubernetes.core.k8s', 'community.kubernetes.k8s', 'community.okd.k8s'],
  os: ['openstack.cloud.os'],
  ovirt: ['ovirt.ovirt.ovirt', 'community.general.ovirt'],
  vmware: ['community.vmware.vmware'],
});
const OF_COLLECTIONS = new Set(Object.values(GROUPS).flat());

/** Whether a key of `module_defaults` names a group. */
export function isActionGroup(key: string): boolean {
  return key.startsWith(PREFIX);
}

/** The groups of collections that such a key stands for; none where there is no group of that name. */
export function actionGroups(key: string): readonly string[] {
  const name = key.slice(PREFIX.length);
  if (OF_COLLECTIONS.has(name) || isElsewhere(name)) return [name];
  const short = name.startsWith(BUILTIN) ? name.slice(BUILTIN.length) : name;
  return Object.hasOwn(GROUPS, short) ? (GROUPS[short] ?? []) : [];
}

/** Whether a group is of a collection of which nothing is known here: it may be any. */
function isElsewhere(name: string): boolean {
  const [collection] = splitFullName(name) ?? [];
  return (
    collection !== undefined &&
    ![...OF_COLLECTIONS].some((each) => each.startsWith(`${collection}.`)) &&
    !name.startsWith(BUILTIN)
  );
}

/** Every key that names a group. */
export function actionGroupKeys(): readonly string[] {
  return [...Object.keys(GROUPS), ...OF_COLLECTIONS].map((name) => PREFIX + name);
}
