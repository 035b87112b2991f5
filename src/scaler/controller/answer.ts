/** What the HPA gets when it asks for a metric of a ScaledObject. */

import type { Health } from '../decide/fallback.ts';
import { judge, type MetricAnswer } from '../decide/judge.ts';
import { COMPOSITE_METRIC, isExternal } from '../decide/metrics.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { ControllerDependencies } from './dependencies.ts';
import type { GaugeSet, Readings } from './gauge-set.ts';
import { gatherEvidence } from './poll.ts';
import { compileComposite, locate } from './prepare.ts';

/** Where failures are counted, so that polls and answers count together. */
export interface HealthBook {
  healthOf(key: string): Readonly<Record<string, Health>>;
  recordHealth(key: string, health: Readonly<Record<string, Health>>): void;
}

/** A metric that cannot be answered because it, or its object, is not there. */
export class NoSuchMetric extends Error {
  override readonly name = 'NoSuchMetric';
}

/**
 * The value of a metric.
 * @throws {NoSuchMetric}; {Error} where the source cannot be read: the HPA then keeps its replicas.
 */
export async function answerMetric(
  key: string,
  metricName: string,
  dependencies: ControllerDependencies,
  book: HealthBook,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly value: number }> {
  const { cluster, gauges } = dependencies;
  const object = cluster.scaledObject(key);
  if (object === undefined) throw new NoSuchMetric(`there is no ScaledObject ${key}`);
  const { kind, target } = await locate(object, dependencies, signal);
  const composite = compileComposite(object);
  const set = gauges.of(object, target.template);
  const isComposite = metricName.toLowerCase() === COMPOSITE_METRIC && composite !== undefined;
  const readings = await read(set, metricName, isComposite);
  if (readings.metrics.length === 0) {
    throw new NoSuchMetric(describeMissing(object, metricName, readings));
  }
  const request = {
    object,
    prepared: { kind, composite: isComposite ? composite : undefined },
    // A process that does not lead knows of failures by the status alone.
    health: { ...object.status?.health, ...book.healthOf(key) },
    pushed: new Set<string>(),
  };
  const judgement = judge(await gatherEvidence(request, readings, target, cluster, signal));
  book.recordHealth(key, judgement.health);
  return pick(metricName, judgement.answers[0]);
}

async function read(set: GaugeSet, metricName: string, isComposite: boolean): Promise<Readings> {
  const { metrics, unopened } = await set.metrics();
  const names = isComposite
    ? metrics.filter(isExternal).map((metric) => metric.metricName)
    : [metricName];
  const readings = await Promise.all(names.map((name) => set.answer(name)));
  return { metrics: readings.flatMap((reading) => reading ?? []), unopened };
}

function pick(name: string, answer: MetricAnswer | undefined) {
  if (answer === undefined) throw new NoSuchMetric(`no matching metrics found for ${name}`);
  if ('error' in answer) throw new Error(`metric ${name}: ${answer.error}`);
  return { name, value: answer.value };
}

function describeMissing(
  { metadata }: ScaledObject,
  metricName: string,
  { unopened }: Readings,
): string {
  const why = unopened.map(({ error }) => error).join('; ');
  const reason = why === '' ? '' : `: ${why}`;
  return `no matching metrics found for ${metricName} of ${metadata.namespace}/${metadata.name}${reason}`;
}
