/** Makes pods leave their node, and waits until they have left. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TaskError } from '../../../engine/module.ts';
import { ApiError, isNotFound } from '../../../kubernetes/api-error.ts';
import type { Cluster } from './cluster.ts';
import { clusterError } from './cluster-error.ts';
import type { PodName } from './drain-pods.ts';
import { type Json, memberOf } from './json.ts';
import { waitFor } from './wait-for-object.ts';

export interface EvictOptions {
  readonly disable_eviction: boolean;
  readonly terminate_grace_period?: number | undefined;
  /** Seconds; 0: as long as it takes. Undefined: nobody waits. */
  readonly wait_timeout?: number | undefined;
  readonly wait_sleep: number;
}

const FOREVER_SECONDS = 10 * 365 * 86_400;

/**
 * Evicts the pods, or deletes them; one that a disruption budget keeps is asked for again while there is time.
 * @returns those that are still there when time is up.
 */
export async function evictPods(
  cluster: Cluster,
  pods: readonly PodName[],
  options: EvictOptions,
  signal: AbortSignal | undefined,
): Promise<readonly PodName[]> {
  const { wait_timeout: timeout } = options;
  const limit = timeout === 0 ? FOREVER_SECONDS : (timeout ?? 0);
  const deadline = performance.now() + limit * 1000;
  for (const pod of pods) await evict(cluster, pod, { ...options, deadline }, signal);
  if (timeout === undefined) return [];
  const left = Math.max(0, Math.ceil((deadline - performance.now()) / 1000));
  const { seen } = await waitFor(
    () => stillThere(cluster, pods, signal),
    (remaining) => remaining.length === 0,
    { wait_timeout: left, wait_sleep: options.wait_sleep },
    signal,
  );
  return seen;
}

async function evict(
  cluster: Cluster,
  pod: PodName,
  options: EvictOptions & { readonly deadline: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    try {
      await ask(cluster, pod, options, signal);
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      const isKept = error instanceof ApiError && error.code === 429;
      if (!isKept || performance.now() >= options.deadline) {
        throw await refusal(cluster, pod, error, isKept);
      }
    }
    await sleep(options.wait_sleep * 1000, undefined, signal && { signal });
  }
}

async function ask(
  { client }: Cluster,
  { namespace, name, uid }: PodName,
  { disable_eviction: isDeleted, terminate_grace_period: grace }: EvictOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = { ...POD, namespace, name };
  const preconditions = { uid };
  if (isDeleted) {
    await client.delete(path, { signal, preconditions, gracePeriodSeconds: grace });
    return;
  }
  const deleteOptions = {
    preconditions,
    ...(grace !== undefined && { gracePeriodSeconds: grace }),
  };
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions,
  };
  await client.create({ ...path, subresource: 'eviction' }, body, { signal });
}

const POD = { group: '', version: 'v1', resource: 'pods' };

async function stillThere(
  { client }: Cluster,
  pods: readonly PodName[],
  signal: AbortSignal | undefined,
): Promise<readonly PodName[]> {
  const found = await Promise.all(
    pods.map(({ namespace, name }) => client.find<Json>({ ...POD, namespace, name }, { signal })),
  );
  // One of the same name with another uid is its successor.
  return pods.filter(({ uid }, i) => memberOf(found[i], 'metadata')['uid'] === uid && found[i]);
}

async function refusal(
  cluster: Cluster,
  { namespace, name }: PodName,
  cause: unknown,
  isKept: boolean,
): Promise<unknown> {
  const error = await clusterError(cause, cluster);
  if (!(error instanceof TaskError)) return error;
  return new TaskError(`Failed to delete pod ${namespace}/${name} due to: ${error.message}`, {
    hint: isKept
      ? 'give it time with wait_timeout, add replicas, or delete in spite of the budget: disable_eviction'
      : error.hint,
    result: error.result,
    cause,
  });
}
