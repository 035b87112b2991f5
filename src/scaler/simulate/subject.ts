/** What is simulated: the triggers of a ScaledObject, each with the column that holds its values. */
import { parseQuantity } from '../../shared/quantity.ts';
import { metricNameOf } from '../decide/metrics.ts';
import { readParameters } from '../read-parameters.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { AnyTrigger, Metric, MetricType, TriggerContext } from '../trigger.ts';
import type { HpaMetric } from './hpa-metrics.ts';

export interface SimulatedTrigger {
  readonly column: number;
  readonly triggerName: string | undefined;
  readonly metricName: string;
  /** What the HPA compares with, where there is no formula. */
  readonly hpa: HpaMetric;
  readonly metricType: MetricType | undefined;
  /** Above it the trigger is active; undefined where only the HPA reads it. */
  readonly activation: number | undefined;
  readonly isCached: boolean;
}

type Registry = Readonly<Record<string, AnyTrigger>>;
type TriggerSpec = ScaledObject['spec']['triggers'][number];

/**
 * The triggers of an object that is known to be valid. Credentials play no part. A trigger is active above the first of
 * its parameters whose name begins with `activation`.
 * @throws {Error} naming triggers without a column, and those whose target only their source knows.
 */
export function simulatedTriggers(
  object: ScaledObject,
  registry: Registry,
  columns: readonly string[],
): readonly SimulatedTrigger[] {
  const { triggers } = object.spec;
  const missing: string[] = [];
  const found = triggers.flatMap((spec, index) => {
    const names = columnNames(spec, index, triggers);
    const column = columns.findIndex((title) => names.includes(title));
    if (column >= 0) return [simulate(object, spec, index, column, registry)];
    missing.push(names.join(' or '));
    return [];
  });
  if (missing.length === 0) return found;
  throw new Error(
    `the values have no column ${missing.join(', nor ')} (there are ${columns.join(', ')})`,
  );
}

/** By which titles a column is that of a trigger. */
export function columnNames(
  { name, type }: TriggerSpec,
  index: number,
  all: readonly TriggerSpec[],
): readonly string[] {
  const isOnly = all.filter((other) => other.type === type).length === 1;
  return [...(name ? [name] : []), ...(isOnly ? [type] : []), `s${index}`];
}

function simulate(
  object: ScaledObject,
  spec: TriggerSpec,
  index: number,
  column: number,
  registry: Registry,
): SimulatedTrigger {
  const trigger = registry[spec.type];
  if (trigger === undefined) throw new Error(`there is no trigger of type ${spec.type}`);
  const sources = { metadata: spec.metadata, authentication: {}, environment: {} };
  const values = readParameters(trigger.parameters, sources).values as Record<string, unknown>; // Of any trigger.
  const metricType = metricTypeOf(spec, trigger);
  const metric = metricOf(trigger, values, {
    object: {
      kind: 'ScaledObject',
      namespace: object.metadata.namespace ?? 'default',
      name: object.metadata.name,
    },
    index,
    name: spec.name,
    metricType,
    isMember: Boolean(object.spec.advanced?.scalingModifiers?.formula),
  });
  return {
    column,
    triggerName: spec.name,
    metricName: metric.kind === 'external' ? metricNameOf(index, metric.name) : spec.type,
    hpa: hpaMetric(metric, metricType),
    metricType,
    activation: metric.kind === 'external' ? activationOf(values) : undefined,
    isCached: spec.useCachedMetrics === true,
  };
}

function metricTypeOf(
  { metricType }: TriggerSpec & { readonly metricType?: string | undefined },
  { open }: AnyTrigger,
): MetricType | undefined {
  if (metricType === 'Value' || metricType === 'Utilization') return metricType;
  return metricType || open !== undefined ? 'AverageValue' : undefined;
}

function metricOf(
  trigger: AnyTrigger,
  values: Record<string, unknown>,
  context: TriggerContext,
): Metric {
  const place = `trigger ${context.index} (${trigger.type})`;
  if (trigger.metric === undefined) {
    throw new Error(`${place} cannot be simulated: only its source knows the target`);
  }
  try {
    return trigger.metric(values, context);
  } catch (cause) {
    throw new Error(`${place} cannot be simulated: its metric depends on credentials`, { cause });
  }
}

function hpaMetric(metric: Metric, metricType: MetricType | undefined): HpaMetric {
  if (metric.kind === 'external') {
    return { type: metricType === 'Value' ? 'Value' : 'AverageValue', target: metric.target };
  }
  const { target } = metric;
  const amount =
    'utilization' in target ? target.utilization : (parseQuantity(target.averageValue) ?? 0);
  return { type: 'PerPod', target: amount };
}

function activationOf(values: Record<string, unknown>): number {
  const found = Object.entries(values).find(([name]) => name.startsWith('activation'));
  return typeof found?.[1] === 'number' ? found[1] : 0;
}
