/** Pods that run the program of the tests' image, as data. */
import { until } from '../until.ts';
import type { ControlPlane } from './control-plane.ts';
import { IMAGE } from './pod-image.ts';
import type { PodCluster } from './pods.ts';

/** Where containers find the files of their folder. */
export const FILES = '/files';

/** A container that runs the program with these words and sees the files. */
export function container(name: string, words: readonly string[], more: object = {}) {
  return {
    name,
    image: IMAGE,
    imagePullPolicy: 'Never',
    args: words,
    volumeMounts: [{ name: 'files', mountPath: FILES }],
    ...more,
  };
}

/** The spec of a pod with the files of that folder. */
export function podSpec(cluster: PodCluster, folder: string, containers: readonly object[]) {
  return { containers, volumes: [cluster.volume(folder)], automountServiceAccountToken: false };
}

/** A workload whose pods carry the label `app` and have the files of the folder of its name. */
export function runningWorkload(
  cluster: PodCluster,
  kind: 'Deployment' | 'StatefulSet',
  name: string,
  replicas: number,
  containers: readonly object[],
) {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(cluster, name, containers) },
      ...(kind === 'StatefulSet' && { serviceName: name, podManagementPolicy: 'Parallel' }),
    },
  };
}

interface Pod {
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Pods by a label: how many there are, how many run, how many of these are ready. */
export interface PodCounts {
  readonly all: number;
  readonly running: number;
  readonly ready: number;
}

/** Waits until there are so many pods with the label, so many running and so many ready. */
export async function untilPodCounts(
  plane: ControlPlane,
  label: string,
  wanted: PodCounts,
  timeoutMs?: number,
): Promise<void> {
  let seen: PodCounts = { all: -1, running: -1, ready: -1 };
  const isReady = ({ status }: Pod) =>
    status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  await until(
    async () => {
      const text = await plane.kubectl('get', 'pods', '-l', label, '-o', 'json');
      const { items } = JSON.parse(text) as { items: readonly Pod[] };
      const running = items.filter(({ status }) => status.phase === 'Running');
      seen = { all: items.length, running: running.length, ready: running.filter(isReady).length };
      return JSON.stringify(seen) === JSON.stringify(wanted);
    },
    () => ({ label, wanted, seen }),
    timeoutMs,
  );
}

/** So many pods, all of them ready. */
export function allReady(count: number): PodCounts {
  return { all: count, running: count, ready: count };
}
