/** What the triggers on a resource of pods share: they only say what the HPA reads from the metrics server. */
import { parseQuantity } from '../../../shared/quantity.ts';
import {
  type Metric,
  optional,
  removed,
  type TriggerContext,
  text,
  type ValuesOf,
} from '../../trigger.ts';

export const resourceParameters = {
  type: removed('Old name of metricType.', 'set metricType beside the type of the trigger'),
  value: text('Percent of the request (Utilization), or an amount such as 500m (AverageValue).'),
  containerName: optional(text('Container whose usage counts, in place of the whole pod.')),
};
type Values = ValuesOf<typeof resourceParameters>;

export function checkResource(
  { value }: Values,
  { metricType }: TriggerContext,
): readonly string[] {
  if (metricType !== 'Utilization' && metricType !== 'AverageValue') {
    const given = metricType === undefined ? 'is missing' : `must not be ${metricType}`;
    return [`metricType ${given}: set Utilization or AverageValue`];
  }
  if (metricType === 'Utilization') return checkPercent(value);
  if ((parseQuantity(value) ?? 0) > 0) return [];
  return [`value must be an amount above 0, such as 500m or 1Gi, and not "${value}"`];
}

function checkPercent(value: string): readonly string[] {
  if (/^\+?\d+$/.test(value) && Number(value) > 0 && Number(value) < 2 ** 31) return [];
  return [`value must be a whole percentage above 0, such as 60, and not "${value}"`];
}

export function resourceMetric(
  resource: 'cpu' | 'memory',
  { value, containerName }: Values,
  { metricType }: TriggerContext,
): Metric {
  const target =
    metricType === 'Utilization' ? { utilization: Number(value) } : { averageValue: value };
  return { kind: 'resource', resource, container: containerName, target };
}
