/** What a ScaledObject says to no avail. */
import type { ScaledObjectSpec } from '../resources/scaled-object.ts';
import type { Registry } from './check-triggers.ts';
import type { ObjectProblem } from './object-problem.ts';

/** Fields that have no effect, and a way to zero that leads nowhere. */
export function checkUsefulness(
  spec: ScaledObjectSpec,
  registry: Registry,
): readonly ObjectProblem[] {
  const { triggers, minReplicaCount: min = 0, idleReplicaCount: idle } = spec;
  const isResourceOnly = triggers.every(({ type }) => registry[type]?.open === undefined);
  const isKnown = triggers.every(({ type }) => Object.hasOwn(registry, type));
  if (isKnown && isResourceOnly && min === 0) {
    const message =
      'is 0: cpu and memory cannot wake a workload from zero, so set it to 1, or add another trigger';
    return [{ path: ['spec', 'minReplicaCount'], message }];
  }
  const neverSleeps = min > 0 && idle === undefined;
  if (!neverSleeps) return [];
  const isPolled = triggers.some(({ useCachedMetrics }) => useCachedMetrics === true);
  return [
    ...(spec.cooldownPeriod === undefined
      ? []
      : [useless('cooldownPeriod', 'it only concerns going to zero or idle')]),
    ...(spec.pollingInterval === undefined || isPolled
      ? []
      : [useless('pollingInterval', 'the HPA asks in its own rhythm')]),
  ];
}

function useless(field: string, because: string): ObjectProblem {
  const message = `has no effect where minReplicaCount is above 0: ${because}`;
  return { path: ['spec', field], message, isWarning: true };
}
