/** Everything that a ScaledObject needs before it can be polled: a sound spec, a target, gauges, an HPA. */

import type { SpecProblem } from '../decide/check-spec.ts';
import { validFallback } from '../decide/fallback.ts';
import { hpaNameOf } from '../decide/hpa.ts';
import type { Composite } from '../decide/judge.ts';
import { COMPOSITE_METRIC, isExternal, type TriggerMetric } from '../decide/metrics.ts';
import { compileFormula } from '../formula/formula.ts';
import { describeUnknownType } from '../known-types.ts';
import type { ScaledJob } from '../resources/scaled-job.ts';
import type { ScaledObject, ScaledObjectStatus } from '../resources/scaled-object.ts';
import type { TriggerSpec } from '../resources/triggers.ts';
import type { ResourceMetric } from '../trigger.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { ensureHpa, metricNamesOf } from './ensure-hpa.ts';
import type { GaugeSet, KnownMetrics, UnopenedTrigger } from './gauge-set.ts';
import { describeKind, type ScaleTarget, type StoredHpa, type TargetKind } from './ports.ts';
import { summaryOf, triggerStatusesOf } from './status.ts';

/** What is wrong with an object; trying again cures nothing until it is changed. */
export class SpecInvalid extends Error {
  override readonly name = 'SpecInvalid';
}

/** None of the triggers can be opened, so that there is nothing to scale on, or nothing was ever heard of it. */
class NoUsableTrigger extends Error {
  override readonly name = 'NoUsableTrigger';
  readonly unopened: readonly UnopenedTrigger[];

  constructor(unopened: readonly UnopenedTrigger[]) {
    super(`no trigger can be used: ${unopened.map(({ error }) => error).join('; ')}`);
    this.unopened = unopened;
  }
}

export interface Prepared {
  readonly kind: TargetKind;
  readonly gauges: GaugeSet;
  readonly composite: Composite | undefined;
  readonly hpa: StoredHpa;
  /** Status members that follow from the spec. */
  readonly status: Partial<ScaledObjectStatus>;
  /** Metrics that only the HPA reads. */
  readonly resources: readonly Extract<TriggerMetric, { metric: ResourceMetric }>[];
  /** Types of the triggers that could be opened. */
  readonly openTypes: readonly string[];
}

export interface Located {
  readonly kind: TargetKind;
  readonly target: ScaleTarget;
  readonly status: Partial<ScaledObjectStatus>;
}

/** @throws {SpecInvalid} with every problem of the spec. */
export function refuseInvalid(
  problems: readonly SpecProblem[],
  specs: readonly TriggerSpec[],
  triggers: ControllerDependencies['triggers'],
): void {
  const known = Object.keys(triggers);
  const unknown = specs.flatMap(({ type }, index) =>
    known.includes(type)
      ? []
      : [`spec.triggers[${index}].type: ${describeUnknownType(type, known)}`],
  );
  const all = [...problems.map(({ path, message }) => `${path} ${message}`), ...unknown];
  if (all.length > 0) throw new SpecInvalid(all.join('; '));
}

/** Finds the target, and keeps the replicas that it had when it was first seen. */
export async function locate(
  object: ScaledObject,
  { cluster }: ControllerDependencies,
  signal: AbortSignal,
): Promise<Located> {
  const {
    apiVersion = 'apps/v1',
    kind: kindName = 'Deployment',
    name,
  } = object.spec.scaleTargetRef;
  const kind = await cluster.targetKind(apiVersion || 'apps/v1', kindName || 'Deployment');
  const target = await cluster.target(kind, object.metadata.namespace ?? '', name, signal);
  const scaleTargetKind = describeKind(kind);
  const isKnown = object.status?.scaleTargetKind === scaleTargetKind;
  return {
    kind,
    target,
    status: {
      scaleTargetKind,
      scaleTargetGVKR: { ...kind },
      originalReplicaCount:
        (isKnown ? object.status?.originalReplicaCount : undefined) ?? target.replicas,
    },
  };
}

/**
 * Opens the triggers and ensures the HPA. Triggers that cannot be opened leave the rest working.
 * @throws {NoUsableTrigger} where there is nothing to scale on; {Error} where the HPA cannot be had.
 */
export async function prepare(
  object: ScaledObject,
  { kind, target, status }: Located,
  dependencies: ControllerDependencies,
  signal: AbortSignal,
): Promise<Prepared> {
  const composite = compileComposite(object);
  const gauges = dependencies.gauges.of(object, target.template);
  const { metrics, unopened, closed, isAnyOpen } = await openAll(gauges);
  if (!isAnyOpen && !isScaled(object, metrics, dependencies)) {
    throw new NoUsableTrigger(closed);
  }
  refuseTwice(metricNamesOf(metrics).externalMetricNames);
  const unknownIndexes = unopened.map(({ place }) => place.index);
  const wish = { object, kind, metrics, unknownIndexes, version: dependencies.version };
  const hpa = await ensureHpa(wish, dependencies, signal);
  return {
    kind,
    gauges,
    composite,
    hpa,
    resources: metrics.flatMap((each) => (isExternal(each) ? [] : [each])),
    openTypes: openTypesOf(object, closed),
    status: {
      ...status,
      ...summaryOf(object.spec.triggers),
      ...metricNamesOf(metrics),
      hpaName: hpa.metadata.name,
      ...(composite !== undefined && { compositeScalerName: COMPOSITE_METRIC }),
    },
  };
}

/** Types of the triggers of an object that could be opened, each once. */
export function openTypesOf(
  { spec }: Pick<ScaledObject, 'spec'> | Pick<ScaledJob, 'spec'>,
  closed: readonly UnopenedTrigger[],
): readonly string[] {
  const isClosed = new Set(closed.map(({ place }) => place.index));
  const open = spec.triggers.filter((_trigger, index) => !isClosed.has(index));
  return [...new Set(open.map(({ type }) => type))];
}

/**
 * Whether an object without an open trigger has an HPA all the same: one that it had before keeps its metrics, and a
 * fallback gives values. A new one would cut the workload to its bounds although nobody knows how much work there is.
 */
function isScaled(
  object: ScaledObject,
  metrics: readonly TriggerMetric[],
  { cluster, names }: ControllerDependencies,
): boolean {
  if (metrics.length === 0) return false;
  const { namespace = '' } = object.metadata;
  const hasHpa = cluster.hpa(namespace, hpaNameOf(object, names)) !== undefined;
  return hasHpa || validFallback(object.spec) !== undefined;
}

/** Where no trigger could be opened they are all tried anew: what was missing may be there by now. */
async function openAll(gauges: GaugeSet): Promise<KnownMetrics> {
  const found = await gauges.metrics();
  if (found.isAnyOpen) return found;
  await gauges.refresh();
  return gauges.metrics();
}

/** The status after a reconcile that failed: what is wrong with each trigger, where that was the reason. */
export function statusOfFailure(
  error: Error,
  { spec }: ScaledObject,
  status: ScaledObjectStatus,
  nowMs: number,
): ScaledObjectStatus {
  if (!(error instanceof NoUsableTrigger)) return status;
  const readings = { metrics: [], unopened: error.unopened };
  const triggers = triggerStatusesOf(spec.triggers, readings, status.triggers, nowMs);
  return { ...status, triggers };
}

/** The composite metric that a ScaledObject asks for. @throws {SpecInvalid} where its formula is wrong. */
export function compileComposite({ spec }: ScaledObject): Composite | undefined {
  const modifiers = spec.advanced?.scalingModifiers;
  if (!modifiers?.formula) return undefined;
  const names = spec.triggers.flatMap(({ name }) => name ?? []);
  try {
    const formula = compileFormula(modifiers.formula, names);
    return {
      target: Number(modifiers.target),
      activationTarget: Number(modifiers.activationTarget || 0),
      metricType: modifiers.metricType,
      evaluate: (values) => formula.evaluate(values),
    };
  } catch (error) {
    throw new SpecInvalid(`spec.advanced.scalingModifiers.formula: ${(error as Error).message}`);
  }
}

function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return;
  throw new SpecInvalid(`metricName ${twice} is defined multiple times in one ScaledObject`);
}
