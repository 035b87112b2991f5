/** Carries out what a poll has decided about replicas. */
import type { Pause } from '../decide/pause.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { ControllerDependencies } from './dependencies.ts';
import type { Poll } from './poll.ts';
import type { TargetKind } from './ports.ts';
import { reportScale } from './reports.ts';

/**
 * Work may have come since the sources were read: what was decided longer ago takes nothing away. Giving replicas to
 * a workload whose work is gone again does no harm.
 */
const FRESH_MS = 2000;

class Outdated extends Error {}

export interface ReplicaChange {
  readonly object: ScaledObject;
  readonly pause: Pause;
  readonly kind: TargetKind;
  readonly result: Poll;
}

/**
 * Writes the decision's number of replicas, if it names one, and reports that. Nothing is written where somebody else
 * has scaled since, or where the decision is too old; the next poll decides anew.
 * @throws {Error} where the API server does not take it.
 */
export async function setReplicas(
  { object, pause, kind, result }: ReplicaChange,
  dependencies: ControllerDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, steadyMs } = dependencies;
  const { decision, judgement, target } = result;
  const { replicas } = decision;
  if (replicas === undefined) return;
  const from = target?.replicas ?? 0;
  const decidedMs = steadyMs();
  const guard = () => {
    if (replicas < from && steadyMs() - decidedMs > FRESH_MS) throw new Outdated();
  };
  const { namespace = '' } = object.metadata;
  const change = { to: replicas, from, guard };
  const outcome = await cluster
    .setReplicas(kind, namespace, object.spec.scaleTargetRef.name, change, signal)
    .catch((error: Error) => error);
  if (outcome === false || outcome instanceof Outdated) return;
  const failure = outcome === true ? undefined : outcome;
  const { activeMetrics } = judgement.activity;
  const report = { kind, decision, activeMetrics, isForced: pause.isForced, from, failure };
  reportScale(object, report, dependencies);
  if (failure !== undefined) throw failure;
}
