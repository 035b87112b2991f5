/** What all readings of a ScaledObject together mean: values for the HPA, activity for the operator, health. */
import type { Fallback } from '../resources/scaled-object.ts';
import type { MetricType } from '../trigger.ts';
import type { Activity } from './decide.ts';
import { fallbackValue, type Health, healthAfter, isInForce } from './fallback.ts';
import { COMPOSITE_METRIC } from './metrics.ts';

/** A reading of one external metric. */
export interface JudgedReading {
  readonly metricName: string;
  /** Name of its trigger, which formulas use. */
  readonly triggerName: string | undefined;
  readonly target: number;
  readonly metricType: MetricType | undefined;
  readonly outcome:
    | { readonly value: number; readonly isActive: boolean }
    | { readonly error: string };
  /** It was judged before: a failure is not counted again. */
  readonly isCached?: boolean;
}

/** One metric out of several (`advanced.scalingModifiers`). */
export interface Composite {
  readonly target: number;
  readonly activationTarget: number;
  readonly metricType: MetricType | undefined;
  /** Undefined: the formula came to nothing. @throws {Error} that says where it went wrong. */
  readonly evaluate: (values: Readonly<Record<string, number | undefined>>) => number | undefined;
}

export interface Evidence {
  readonly readings: readonly JudgedReading[];
  /** Triggers that have no metric because they cannot be opened. */
  readonly unopened: readonly string[];
  /** There are triggers that only the HPA reads (cpu, memory), and no others. */
  readonly isResourceOnly: boolean;
  readonly composite: Composite | undefined;
  readonly fallback: Fallback | undefined;
  readonly health: Readonly<Record<string, Health>>;
  readonly currentReplicas: number;
  readonly readyReplicas: number;
}

export type MetricAnswer =
  | { readonly metricName: string; readonly value: number; readonly isFallback: boolean }
  | { readonly metricName: string; readonly error: string };

export interface Judgement {
  readonly activity: Activity;
  /** What the HPA gets, by metric; for a formula the one composite metric. */
  readonly answers: readonly MetricAnswer[];
  /** Of every metric that was read; empty where there is no fallback. */
  readonly health: Readonly<Record<string, Health>>;
  readonly isFallback: boolean;
}

interface Judged {
  readonly reading: JudgedReading;
  readonly answer: MetricAnswer;
  /** Past the threshold, and left to the formula. */
  readonly isNil: boolean;
}

/** Pure. Counts a failure for each reading without an answer. */
export function judge(evidence: Evidence): Judgement {
  const { readings, composite } = evidence;
  const health = healthOf(evidence);
  const judged = readings.map((reading) => judgeReading(reading, evidence, health));
  const answers =
    composite === undefined
      ? judged.map(({ answer }) => answer)
      : [judgeComposite(judged, composite, evidence)];
  return {
    activity: activityOf(judged, answers, evidence),
    answers,
    health,
    isFallback: judged.some((each) => isStandIn(each.answer) || each.isNil),
  };
}

function healthOf({ readings, fallback, health }: Evidence): Readonly<Record<string, Health>> {
  if (fallback === undefined) return {};
  return Object.fromEntries(
    readings.map(({ metricName, outcome, isCached = false }) => {
      const known = health[metricName];
      const isKept = isCached && known !== undefined;
      return [metricName, isKept ? known : healthAfter(known, !('error' in outcome))];
    }),
  );
}

function judgeReading(
  reading: JudgedReading,
  evidence: Evidence,
  health: Readonly<Record<string, Health>>,
): Judged {
  const { metricName, outcome } = reading;
  if (!('error' in outcome)) {
    return {
      reading,
      answer: { metricName, value: outcome.value, isFallback: false },
      isNil: false,
    };
  }
  const { fallback } = evidence;
  const failed = { metricName, error: outcome.error };
  if (fallback === undefined || !isInForce(fallback, health[metricName])) {
    return { reading, answer: failed, isNil: false };
  }
  if (fallback.behavior === 'scalingModifiers') return { reading, answer: failed, isNil: true };
  return { reading, answer: standIn(reading, fallback, evidence), isNil: false };
}

function standIn(reading: JudgedReading, fallback: Fallback, evidence: Evidence): MetricAnswer {
  const { metricName } = reading;
  const { composite, currentReplicas, readyReplicas } = evidence;
  const { target, metricType } = composite ?? reading;
  try {
    const situation = { fallback, target, metricType, currentReplicas, readyReplicas };
    return { metricName, value: fallbackValue(situation), isFallback: true };
  } catch (error) {
    return { metricName, error: (error as Error).message };
  }
}

function judgeComposite(
  judged: readonly Judged[],
  composite: Composite,
  { fallback, unopened }: Evidence,
): MetricAnswer {
  const metricName = COMPOSITE_METRIC;
  const [missing] = unopened;
  if (missing !== undefined) return { metricName, error: missing };
  const substitute = judged.find(({ answer }) => isStandIn(answer));
  if (substitute !== undefined) return { ...substitute.answer, metricName };
  const failed = judged.find(({ answer, isNil }) => 'error' in answer && !isNil);
  if (failed !== undefined) return { ...failed.answer, metricName };
  const isNil = judged.some((each) => each.isNil);
  try {
    const value = composite.evaluate(valuesByTrigger(judged));
    if (value !== undefined) return { metricName, value, isFallback: isNil };
    if (isNil && fallback !== undefined) {
      return { metricName, value: fallback.replicas * composite.target, isFallback: true };
    }
    return { metricName, error: 'the formula came to nothing: give a default with ??' };
  } catch (error) {
    return { metricName, error: `the formula cannot be computed: ${(error as Error).message}` };
  }
}

function valuesByTrigger(judged: readonly Judged[]): Readonly<Record<string, number | undefined>> {
  return Object.fromEntries(
    judged.flatMap(({ reading: { triggerName }, answer }) =>
      triggerName === undefined
        ? []
        : [[triggerName, 'error' in answer ? undefined : answer.value] as const],
    ),
  );
}

function activityOf(
  judged: readonly Judged[],
  answers: readonly MetricAnswer[],
  evidence: Evidence,
): Activity {
  const { unopened, composite, isResourceOnly } = evidence;
  const errors = [
    ...unopened,
    ...answers.flatMap((answer) => ('error' in answer ? answer.error : [])),
  ];
  const active =
    composite === undefined
      ? judged.filter(isActive).map(({ answer }) => answer.metricName)
      : answers
          .filter((answer) => isCompositeActive(answer, composite))
          .map(({ metricName }) => metricName);
  const hasError = errors.length > 0;
  return {
    isActive: active.length > 0 || (isResourceOnly && !hasError),
    hasError,
    errors,
    activeMetrics: active,
  };
}

function isActive({ reading: { outcome }, answer }: Judged): boolean {
  return isStandIn(answer) || (!('error' in outcome) && outcome.isActive);
}

function isCompositeActive(answer: MetricAnswer, { activationTarget }: Composite): boolean {
  return !('error' in answer) && (answer.isFallback || answer.value > activationTarget);
}

function isStandIn(answer: MetricAnswer): boolean {
  return !('error' in answer) && answer.isFallback;
}
