/** What stands in for a source that cannot be read. */

import type { Fallback, ScaledObjectSpec, ScaledObjectStatus } from '../resources/scaled-object.ts';
import type { MetricType } from '../trigger.ts';

export type Health = NonNullable<ScaledObjectStatus['health']>[string];

/** The health of a metric after one more answer. */
export function healthAfter(before: Health | undefined, isSuccess: boolean): Health {
  if (isSuccess) return { numberOfFailures: 0, status: 'Happy' };
  return { numberOfFailures: (before?.numberOfFailures ?? 0) + 1, status: 'Failing' };
}

/** The fallback, where it is one that can work: with a formula its target must be a number above 0. */
export function validFallback(spec: ScaledObjectSpec): Fallback | undefined {
  const { fallback, advanced } = spec;
  const modifiers = advanced?.scalingModifiers;
  if (fallback === undefined || fallback.failureThreshold < 0 || fallback.replicas < 0) {
    return undefined;
  }
  if (modifiers?.formula !== undefined && !(Number(modifiers.target) > 0)) return undefined;
  return fallback;
}

/** Whether so many failures in a row are more than the fallback puts up with. */
export function isInForce(fallback: Fallback, health: Health | undefined): boolean {
  return (health?.numberOfFailures ?? 0) > fallback.failureThreshold;
}

export interface FallbackSituation {
  readonly fallback: Fallback;
  /** What one replica is expected to carry. */
  readonly target: number;
  readonly metricType: MetricType | undefined;
  readonly currentReplicas: number;
  /** Pods that are running and ready; only asked for where the metric's type is `Value`. */
  readonly readyReplicas: number;
}

/**
 * The value that makes the HPA compute the replicas of the fallback.
 * @throws {Error} where the metric is of type `Value` and no pod is ready, so that no value can.
 */
export function fallbackValue(situation: FallbackSituation): number {
  const { target, metricType, readyReplicas } = situation;
  const replicas = fallbackReplicas(situation);
  if (metricType !== 'Value') return target * replicas;
  if (readyReplicas <= 0) {
    throw new Error('no fallback is possible: the metric is of type Value and no pod is ready');
  }
  return (target * replicas) / readyReplicas;
}

function fallbackReplicas({ fallback, currentReplicas }: FallbackSituation): number {
  switch (fallback.behavior) {
    case 'currentReplicas':
      return currentReplicas;
    case 'currentReplicasIfHigher':
      return Math.max(currentReplicas, fallback.replicas);
    case 'currentReplicasIfLower':
      return Math.min(currentReplicas, fallback.replicas);
    default:
      return fallback.replicas;
  }
}
