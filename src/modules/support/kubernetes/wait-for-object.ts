import { setTimeout as sleep } from 'node:timers/promises';
import { ApiUnreachable } from '../../../kubernetes/api-error.ts';
import { findObject } from './forecast.ts';
import { isJson, type Json, memberOf } from './json.ts';
import type { K8sArgs } from './k8s-args.ts';
import { listStored } from './list-objects.ts';
import type { Scene } from './object-failure.ts';
import { isReady } from './readiness.ts';
import type { Target } from './target.ts';

export interface Waited<T = Json | undefined> {
  readonly isDone: boolean;
  /** As it was last seen; an object that is undefined is gone. */
  readonly seen: T;
  /** Whole seconds that it took. */
  readonly seconds: number;
}

type Limits = Pick<K8sArgs, 'wait_sleep' | 'wait_timeout'>;

/** The first looks come sooner than asked for: most objects are ready at once. */
const FIRST_PAUSE_MS = 200;

/** Waits until an object is ready. One that is not there is not. */
export function waitUntilReady(
  { cluster, args }: Pick<Scene, 'cluster' | 'args'>,
  target: Target,
  signal: AbortSignal | undefined,
): Promise<Waited> {
  const isDone = (object: Json | undefined) =>
    object !== undefined && isReady(object, args.wait_condition);
  return waitFor(() => findObject(cluster, target), isDone, args, signal);
}

/** Waits until an object is gone; without a name, all that the labels select. */
export function waitUntilGone(
  scene: Scene,
  target: Target,
  signal: AbortSignal | undefined,
): Promise<Waited> {
  const look = async () =>
    target.name === undefined
      ? (await listStored(scene, target))[0]
      : findObject(scene.cluster, target);
  return waitFor(look, (object) => object === undefined, scene.args, signal);
}

/** Looks again and again until it is what is wanted, or time is up. Throws what the last look threw. */
export async function waitFor<T>(
  look: () => Promise<T>,
  isDone: (seen: T) => boolean,
  { wait_sleep: mostSleep, wait_timeout: timeout }: Limits,
  signal: AbortSignal | undefined,
): Promise<Waited<T>> {
  const started = performance.now();
  const elapsedMs = () => performance.now() - started;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const isLast = elapsedMs() >= timeout * 1000;
    const seen = await patiently(look, isLast);
    const seconds = Math.floor(elapsedMs() / 1000);
    if (seen !== AWAY && isDone(seen)) return { isDone: true, seen, seconds };
    if (seen !== AWAY && isLast) return { isDone: false, seen, seconds };
    const restMs = Math.max(0, timeout * 1000 - elapsedMs());
    await sleep(Math.min(pauseMs, mostSleep * 1000, restMs), undefined, signal && { signal });
    pauseMs *= 2;
  }
}

/** The API server did not answer this time. */
const AWAY = Symbol('away');

/** An API server may be away for a while: it is looked at again, but for the last time. */
async function patiently<T>(look: () => Promise<T>, isLast: boolean): Promise<T | typeof AWAY> {
  try {
    return await look();
  } catch (error) {
    if (isLast || !(error instanceof ApiUnreachable)) throw error;
    return AWAY;
  }
}

/** What keeps an object from being ready, by its conditions; undefined where it tells none. */
export function conditionsOf(object: Json | undefined): string | undefined {
  const { conditions } = memberOf(object, 'status');
  if (!Array.isArray(conditions)) return undefined;
  const texts = conditions.filter(isJson).map(({ type, status, reason, message }) => {
    const why = [reason, message].filter(Boolean).join(': ');
    return `${type}=${status}${why === '' ? '' : ` (${why})`}`;
  });
  return texts.length === 0 ? undefined : `its conditions: ${texts.join(', ')}`;
}
