/** Which pods leave a node when it is drained. Pure; the answers are those of `kubectl drain`. */
import { isJson, type Json, memberOf, textOf } from './json.ts';

export interface DrainOptions {
  readonly force: boolean;
  readonly ignore_daemonsets: boolean;
  readonly delete_emptydir_data: boolean;
}

/** One pod of a node. */
export interface PodName {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface Leaving {
  readonly due: readonly PodName[];
  readonly warnings: readonly string[];
  /** Why the node cannot be drained so. */
  readonly errors: readonly string[];
}

type Sort = 'mirror' | 'finished' | 'daemonset' | 'unmanaged' | 'local' | 'managed';

/** Sorts the pods of a node, in kubernetes.core's words. */
export function sortPods(pods: readonly Json[], options: DrainOptions): Leaving {
  const of = (...sorts: readonly Sort[]) =>
    pods.filter((pod) => sorts.includes(sortOf(pod))).map(nameOf);
  const [mirror, daemonsets] = [of('mirror'), of('daemonset')];
  const unmanaged = pods.filter((pod) => isUnmanaged(pod) && isOptional(pod)).map(nameOf);
  const local = pods.filter((pod) => hasLocalData(pod) && isOptional(pod)).map(nameOf);
  const warnings: string[] = [];
  const errors: string[] = [];
  const judge = (
    found: readonly PodName[],
    isAllowed: boolean,
    [refusal, notice]: readonly [string, string],
  ) => {
    if (found.length === 0) return;
    if (isAllowed) warnings.push(`${notice}: ${listed(found)}.`);
    else errors.push(`${refusal}: ${listed(found)}.`);
  };
  const managers = 'ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet';
  judge(unmanaged, options.force, [
    `cannot delete Pods not managed by ${managers} (use option force set to yes)`,
    `Deleting Pods not managed by ${managers}`,
  ]);
  judge(mirror, true, ['', 'cannot delete mirror Pods using API server']);
  judge(local, options.delete_emptydir_data, [
    'cannot delete Pods with local storage (use option delete_emptydir_data set to yes)',
    'Deleting Pods with local storage',
  ]);
  judge(daemonsets, options.ignore_daemonsets, [
    'cannot delete DaemonSet-managed Pods (use option ignore_daemonsets set to yes)',
    'Ignoring DaemonSet-managed Pods',
  ]);
  return { due: of('finished', 'unmanaged', 'local', 'managed'), warnings, errors };
}

function sortOf(pod: Json): Sort {
  const metadata = memberOf(pod, 'metadata');
  if (Object.hasOwn(memberOf(metadata, 'annotations'), 'kubernetes.io/config.mirror')) {
    return 'mirror';
  }
  const phase = textOf(memberOf(pod, 'status'), 'phase');
  if (phase === 'Succeeded' || phase === 'Failed') return 'finished';
  if (ownersOf(pod).some(({ kind }) => kind === 'DaemonSet')) return 'daemonset';
  if (isUnmanaged(pod)) return 'unmanaged';
  return hasLocalData(pod) ? 'local' : 'managed';
}

/** Whether it is for the options to say if it leaves. */
function isOptional(pod: Json): boolean {
  return ['unmanaged', 'local'].includes(sortOf(pod));
}

function isUnmanaged(pod: Json): boolean {
  return ownersOf(pod).length === 0;
}

function hasLocalData(pod: Json): boolean {
  const { volumes } = memberOf(pod, 'spec');
  const all = Array.isArray(volumes) ? volumes.filter(isJson) : [];
  return all.some((volume) => Object.hasOwn(volume, 'emptyDir'));
}

function ownersOf(pod: Json): readonly Json[] {
  const { ownerReferences: owners } = memberOf(pod, 'metadata');
  return Array.isArray(owners) ? owners.filter(isJson) : [];
}

function nameOf(pod: Json): PodName {
  const metadata = memberOf(pod, 'metadata');
  const text = (name: string) => textOf(metadata, name) ?? '';
  return { namespace: text('namespace'), name: text('name'), uid: text('uid') };
}

function listed(pods: readonly PodName[]): string {
  return pods.map(({ namespace, name }) => `${namespace}/${name}`).join(',');
}
