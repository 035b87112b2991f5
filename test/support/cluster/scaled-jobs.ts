/** ScaledJobs that tests make, and their Jobs. There are no nodes: a test says itself how far the pods have come. */
import type { Job } from '../../../src/scaler/controller/ports.ts';
import type { JobTemplate } from '../../../src/scaler/resources/scaled-job.ts';
import { until } from '../until.ts';
import type { ControlPlane } from './control-plane.ts';

const LABEL = 'scaledjob.scaler.tsprov.dev/name';

export type Phase = 'Running' | 'Succeeded' | 'Failed';

export interface MadeJob extends Job {
  readonly spec: JobTemplate & { readonly backoffLimit?: number };
}

interface Pod {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly status: { readonly phase: string };
}

/** A ScaledJob that is polled every second; a Job fails with its first pod. */
export function scaledJob(
  name: string,
  spec: Readonly<Record<string, unknown>>,
  metadata: object = {},
) {
  const containers = [{ name: 'main', image: 'example.invalid/none' }];
  return {
    apiVersion: 'scaler.tsprov.dev/v1alpha1',
    kind: 'ScaledJob',
    metadata: { name, namespace: 'default', ...metadata },
    spec: {
      jobTargetRef: { backoffLimit: 0, template: { spec: { containers } } },
      pollingInterval: 1,
      ...spec,
    },
  };
}

/** The Jobs of a ScaledJob that are stored. */
export async function jobsOf(plane: ControlPlane, name: string): Promise<readonly MadeJob[]> {
  const text = await plane.kubectl('get', 'jobs', '-l', `${LABEL}=${name}`, '-o', 'json');
  return (JSON.parse(text) as { items: readonly MadeJob[] }).items;
}

/** Waits until so many Jobs are stored, ended ones among them. */
export async function untilJobs(
  plane: ControlPlane,
  name: string,
  count: number,
): Promise<readonly MadeJob[]> {
  let jobs: readonly MadeJob[] = [];
  await until(
    async () => {
      jobs = await jobsOf(plane, name);
      return jobs.length === count;
    },
    () => `${name} has ${jobs.length} Jobs and not ${count}`,
  );
  return jobs;
}

/** Brings pods of Jobs into a phase, as a node would; those that have ended stay. @returns their Jobs. */
export async function movePods(
  plane: ControlPlane,
  name: string,
  phase: Phase,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly string[]> {
  const text = await plane.kubectl('get', 'pods', '-l', `${LABEL}=${name}`, '-o', 'json');
  const { items } = JSON.parse(text) as { items: readonly Pod[] };
  const open = items.filter(({ status }) => ['Pending', 'Running'].includes(status.phase));
  const moved = open.filter(({ status }) => status.phase !== phase).slice(0, most);
  const patch = JSON.stringify({ status: { phase } });
  for (const { metadata } of moved) {
    const words = ['--subresource=status', '--type=merge', '-p', patch];
    await plane.kubectl('patch', 'pod', metadata.name, ...words);
  }
  return moved.map(({ metadata }) => metadata.labels['job-name'] ?? '');
}

/** Waits until each of the Jobs has a pod. */
export async function untilPods(plane: ControlPlane, name: string, count: number): Promise<void> {
  await until(
    async () => {
      const text = await plane.kubectl('get', 'pods', '-l', `${LABEL}=${name}`, '-o', 'name');
      return text.split('\n').filter(Boolean).length === count;
    },
    () => `${name} has not ${count} pods`,
  );
}
