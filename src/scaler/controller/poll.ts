/** One poll of a ScaledObject: read the triggers, decide, set the replicas. */
import { boundsOf, type Decision, decide } from '../decide/decide.ts';
import { type Health, validFallback } from '../decide/fallback.ts';
import { type Evidence, type JudgedReading, type Judgement, judge } from '../decide/judge.ts';
import { pauseOf } from '../decide/pause.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { hasError, type MetricReading, type Readings } from './gauge-set.ts';
import type { ScaleTarget, TargetKind } from './ports.ts';
import type { Prepared } from './prepare.ts';

export interface Poll {
  readonly readings: Readings;
  readonly judgement: Judgement;
  readonly decision: Decision;
  readonly target: ScaleTarget | undefined;
}

/** What readings of an object are judged with. */
export interface JudgingRequest {
  readonly object: ScaledObject;
  readonly prepared: Pick<Prepared, 'kind' | 'composite'>;
  readonly health: Readonly<Record<string, Health>>;
  /** Metrics whose sources have just said that there is work. */
  readonly pushed: ReadonlySet<string>;
}

export interface PollRequest extends JudgingRequest {
  readonly prepared: Prepared;
  /** When it was last active, on the clock that never jumps. */
  readonly activeAtMs: number | undefined;
}

/** Reads and decides; nothing is written. */
export async function poll(
  request: PollRequest,
  { cluster, names, nowMs, steadyMs }: ControllerDependencies,
  signal: AbortSignal,
): Promise<Poll> {
  const { object, prepared, activeAtMs } = request;
  const [readings, target] = await Promise.all([
    prepared.gauges.poll(),
    readTarget(object, prepared.kind, cluster, signal),
  ]);
  const found = 'error' in target ? undefined : target;
  const evidence = await gatherEvidence(request, readings, found, cluster, signal);
  const judgement = judge(evidence);
  const pause = pauseOf(object.metadata, names);
  const { fallback } = evidence;
  const now = nowMs();
  const decision = decide({
    ...pause,
    bounds: boundsOf(object.spec),
    replicas: 'error' in target ? target : target.replicas,
    activity: judgement.activity,
    fallback: fallback && { replicas: fallback.replicas, isInForce: judgement.isFallback },
    lastActiveMs: activeAtMs === undefined ? undefined : now - (steadyMs() - activeAtMs),
    createdMs: Date.parse(object.metadata.creationTimestamp ?? '') || 0,
    nowMs: now,
  });
  return { readings, judgement, decision, target: found };
}

/** What the readings are judged with. Ready pods are counted only where a substitute value depends on them. */
export async function gatherEvidence(
  request: JudgingRequest,
  readings: Readings,
  target: ScaleTarget | undefined,
  cluster: ControllerDependencies['cluster'],
  signal: AbortSignal,
): Promise<Evidence> {
  const { object, prepared, health, pushed } = request;
  const { composite } = prepared;
  const fallback = validFallback(object.spec);
  const judged = readings.metrics.map((reading) => asJudged(reading, pushed));
  const needsReady =
    fallback !== undefined &&
    (composite?.metricType === 'Value' ||
      judged.some(({ metricType }) => metricType === 'Value')) &&
    judged.some(({ outcome }) => 'error' in outcome);
  return {
    readings: judged,
    unopened: readings.unopened.map(({ error }) => error),
    isResourceOnly: readings.metrics.length === 0 && readings.unopened.length === 0,
    composite,
    fallback,
    health,
    currentReplicas: target?.replicas ?? 0,
    readyReplicas: needsReady ? await countReady(request, cluster, signal) : 0,
  };
}

/** A source that has pushed counts as active in the poll that its push has caused. */
function asJudged(
  { place, metric, outcome, isCached = false }: MetricReading,
  pushed: ReadonlySet<string>,
): JudgedReading {
  const isPushed = pushed.has(metric.metricName);
  return {
    metricName: metric.metricName,
    triggerName: place.spec.name,
    target: metric.metric.target,
    metricType: metric.metricType,
    isCached,
    outcome: hasError(outcome) ? outcome : { ...outcome, isActive: outcome.isActive || isPushed },
  };
}

async function readTarget(
  { metadata, spec }: ScaledObject,
  kind: TargetKind,
  cluster: ControllerDependencies['cluster'],
  signal: AbortSignal,
): Promise<ScaleTarget | { readonly error: string }> {
  try {
    return await cluster.target(kind, metadata.namespace ?? '', spec.scaleTargetRef.name, signal);
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function countReady(
  { object, prepared }: JudgingRequest,
  cluster: ControllerDependencies['cluster'],
  signal: AbortSignal,
): Promise<number> {
  const { namespace = '' } = object.metadata;
  return cluster.readyPods(prepared.kind, namespace, object.spec.scaleTargetRef.name, signal);
}

/** Triggers that could not be opened before have metrics now: the HPA has to learn of them. */
export function hasOtherMetrics({ readings }: Poll, { status }: Prepared): boolean {
  const known = status.externalMetricNames ?? [];
  return readings.metrics.some(({ metric }) => !known.includes(metric.metricName));
}
