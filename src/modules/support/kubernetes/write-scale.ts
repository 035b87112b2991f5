/** Writes how many replicas an object has, and waits for them. */
import { TaskError } from '../../../engine/module.ts';
import type { Cluster } from './cluster.ts';
import { clusterError } from './cluster-error.ts';
import { findObject } from './forecast.ts';
import { type Json, memberOf } from './json.ts';
import { fieldOf, isScaled, type ScaleState, type ScaleWish } from './scale-state.ts';
import { labelOf, pathOf } from './target.ts';
import { conditionsOf, waitFor } from './wait-for-object.ts';

/** What a task wants, and how long it waits. */
export interface ScaleOrder extends ScaleWish {
  readonly wait: boolean;
  readonly wait_sleep: number;
  readonly wait_timeout: number;
}

export interface ScaleDone {
  readonly result: Json;
  /** Seconds; absent where nobody waited. */
  readonly duration?: number;
}

/** Scales one object. Throws TaskError where that is refused, or its replicas are not ready in time. */
export async function writeScale(
  cluster: Cluster,
  state: ScaleState,
  order: ScaleOrder,
  signal: AbortSignal | undefined,
): Promise<ScaleDone> {
  const { target } = state;
  const isJob = target.kind.kind === 'Job';
  const path = { ...pathOf(target), ...(!isJob && { subresource: 'scale' }) };
  const { resource_version: version } = order;
  const patch = {
    ...(version && { metadata: { resourceVersion: version } }),
    spec: { [fieldOf(target.kind)]: order.replicas },
  };
  try {
    const answer = await cluster.client.patch<Json>(path, 'merge', patch, { signal });
    if (isJob) return { result: answer };
  } catch (error) {
    throw refusal(await clusterError(error, cluster));
  }
  if (order.wait) return waitForReplicas(cluster, state, order, signal);
  return { result: (await findObject(cluster, target)) ?? {} };
}

function refusal(error: unknown): unknown {
  if (!(error instanceof TaskError)) return error;
  const { message, hint, result, cause } = error;
  return new TaskError(`Scale request failed: ${message}`, { hint, result, cause });
}

async function waitForReplicas(
  cluster: Cluster,
  { target }: ScaleState,
  order: ScaleOrder,
  signal: AbortSignal | undefined,
): Promise<ScaleDone> {
  const { isDone, seen, seconds } = await waitFor(
    () => findObject(cluster, target),
    (object) => object !== undefined && isScaled(object),
    order,
    signal,
  );
  if (isDone) return { result: seen ?? {}, duration: seconds };
  const ready = memberOf(seen, 'status')['readyReplicas'] ?? 0;
  const what = `${labelOf(target)} has ${ready} of ${order.replicas} replicas ready after ${seconds} seconds`;
  throw new TaskError(`Resource scaling timed out: ${what}`, {
    hint: conditionsOf(seen) ?? 'raise wait_timeout, or look at the events of its pods',
    result: { duration: seconds },
  });
}
