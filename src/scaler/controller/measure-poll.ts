/** What a poll tells in numbers. */
import type { Judgement } from '../decide/judge.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { MetricReading, Readings } from './gauge-set.ts';
import type { Poll } from './poll.ts';
import type { Prepared } from './prepare.ts';
import type { Recorder } from './recorder.ts';

/** Tells of every metric of a ScaledObject what it was when it was polled. */
export function measurePoll(
  object: ScaledObject,
  { resources }: Pick<Prepared, 'resources'>,
  { readings, judgement }: Pick<Poll, 'readings' | 'judgement'>,
  recorder: Recorder,
): void {
  const name = nameOf(object);
  for (const { index, metric } of resources) {
    const spec = object.spec.triggers[index];
    if (spec) recorder.resource(name, { spec, index }, metric.resource);
  }
  for (const reading of readings.metrics) recorder.reading(name, reading);
  for (const [reading, value] of standIns(readings, judgement)) {
    recorder.standIn(name, reading, value);
  }
  const [answer] = judgement.answers;
  const isComposite = Boolean(object.spec.advanced?.scalingModifiers?.formula);
  if (!isComposite || answer === undefined || 'error' in answer) return;
  recorder.composite(name, answer.metricName, answer.value, judgement.activity.isActive);
}

/** By which a ScaledObject is measured. */
export function nameOf({ metadata }: ScaledObject) {
  const { namespace = '', name } = metadata;
  return { kind: 'ScaledObject', namespace, name } as const;
}

/** Readings that failed for which a fallback gives a value. */
function standIns(
  { metrics }: Readings,
  { answers }: Judgement,
): readonly (readonly [MetricReading, number])[] {
  return metrics.flatMap((reading) => {
    const answer = answers.find(({ metricName }) => metricName === reading.metric.metricName);
    if (answer === undefined || 'error' in answer || !answer.isFallback) return [];
    return [[reading, answer.value] as const];
  });
}
