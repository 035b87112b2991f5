/** The status of an object: what to record, and when it is worth a write. */
import { type Condition, type Finding, withFinding } from '../resources/conditions.ts';
import type { ScaledJobStatus } from '../resources/scaled-job.ts';
import type { ScaledObjectStatus } from '../resources/scaled-object.ts';
import type { TriggerSpec, TriggerStatus } from '../resources/triggers.ts';
import { hasError, type MetricReading, type Readings } from './gauge-set.ts';

type Status = ScaledObjectStatus & ScaledJobStatus;

export interface StatusContext {
  readonly nowMs: number;
  readonly generation: number;
}

/** RFC 3339 to the second, as Kubernetes writes times. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The status with all findings recorded. */
export function withFindings<S extends { readonly conditions?: readonly Condition[] | undefined }>(
  status: S,
  findings: readonly Finding[],
  { nowMs, generation }: StatusContext,
): S {
  const now = timestamp(nowMs);
  const conditions = findings.reduce(
    (known, finding) => withFinding(known, finding, { now, generation }),
    status.conditions ?? [],
  );
  return { ...status, conditions };
}

/** Types of the triggers and names of their authentications, each once, between commas. */
export function summaryOf(triggers: readonly TriggerSpec[]) {
  const join = (names: readonly string[]) => [...new Set(names)].join(',');
  return {
    triggersTypes: join(triggers.map(({ type }) => type)),
    authenticationsTypes: join(
      triggers.flatMap(({ authenticationRef }) => authenticationRef?.name ?? []),
    ),
  };
}

/** What is known of each trigger after a poll. */
export function triggerStatusesOf(
  triggers: readonly TriggerSpec[],
  { metrics, unopened }: Readings,
  before: readonly TriggerStatus[] | undefined,
  nowMs: number,
): readonly TriggerStatus[] {
  return triggers.map((spec, index) => {
    const reading = metrics.find(({ place }) => place.index === index);
    const last = before?.find((status) => status.index === index && status.type === spec.type);
    const base = { index, type: spec.type, ...(spec.name !== undefined && { name: spec.name }) };
    if (reading !== undefined) return { ...base, ...readingStatus(reading, last, nowMs) };
    const error = unopened.find(({ place }) => place.index === index)?.error;
    return error === undefined ? base : { ...base, ...failure(error, last) };
  });
}

function readingStatus(
  { metric, outcome }: MetricReading,
  last: TriggerStatus | undefined,
  nowMs: number,
): Omit<TriggerStatus, 'index' | 'type'> {
  const known = { metricName: metric.metricName, target: metric.metric.target };
  if (hasError(outcome)) return { ...known, ...failure(outcome.error, last) };
  return {
    ...known,
    isActive: outcome.isActive,
    value: outcome.value,
    failures: 0,
    lastSuccessTime: timestamp(nowMs),
  };
}

function failure(error: string, last: TriggerStatus | undefined) {
  return {
    error,
    failures: (last?.failures ?? 0) + 1,
    ...(last?.value !== undefined && { value: last.value }),
    ...(last?.lastSuccessTime !== undefined && { lastSuccessTime: last.lastSuccessTime }),
  };
}

/** Activity by metric, as KEDA's status has it. */
export function activityByMetric({ metrics }: Readings): Status['triggersActivity'] {
  return Object.fromEntries(
    metrics.map(({ metric, outcome }) => [
      metric.metricName,
      { isActive: !hasError(outcome) && outcome.isActive },
    ]),
  );
}

/** How far times and values may fall behind in the API, so that a busy object costs few writes. */
const STALE_MS = 60_000;
/** The same for each of many objects, so that all of them together cost ten writes per second. */
const STALE_MS_PER_OBJECT = 100;

/**
 * Whether a status has to be written. Times and values alone may wait for a minute, and with more than 600 objects of
 * the kind longer.
 * @param objects How many there are of the kind.
 */
export function isWorthWriting(
  before: Partial<Status> | undefined,
  after: Partial<Status>,
  objects: number,
): boolean {
  if (before === undefined) return true;
  if (!isSame(steady(before), steady(after))) return true;
  const staleMs = Math.max(STALE_MS, objects * STALE_MS_PER_OBJECT);
  return latestMs(after) - latestMs(before) >= staleMs;
}

function latestMs({ lastActiveTime, triggers = [] }: Partial<Status>): number {
  const times = [lastActiveTime, ...triggers.map(({ lastSuccessTime }) => lastSuccessTime)];
  return Math.max(0, ...times.map((time) => (time === undefined ? 0 : Date.parse(time))));
}

/** Without what changes at every poll. */
function steady({ lastActiveTime: _active, triggers = [], health = {}, ...rest }: Partial<Status>) {
  return {
    ...rest,
    triggers: triggers.map(
      ({ value: _value, lastSuccessTime: _success, failures: _failures, ...trigger }) => trigger,
    ),
    failures: Object.fromEntries(
      Object.entries(health).map(([metric, { numberOfFailures }]) => [metric, numberOfFailures]),
    ),
  };
}

/** Members have no order, and one that is undefined is not there: so the API server keeps them. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isComposed(a) || !isComposed(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => isSame(a[name], b[name]));
}

function isComposed(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
