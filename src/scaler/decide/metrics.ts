/** The metrics of an object, under the names that the HPA asks for. */
import type { ExternalMetric, MetricType, ResourceMetric } from '../trigger.ts';

export const COMPOSITE_METRIC = 'composite-metric';

/** One metric of one trigger. */
export type TriggerMetric = {
  /** Position of the trigger in `spec.triggers`. */
  readonly index: number;
  readonly metricType: MetricType | undefined;
} & (
  | { readonly metric: ExternalMetric; readonly metricName: string }
  | { readonly metric: ResourceMetric; readonly metricName?: undefined }
);

/** `s<index>-<name>` with the characters that metric names cannot have replaced. */
export function metricNameOf(index: number, name: string): string {
  return `s${index}-${name.replaceAll(/[/.:%()]/g, '-')}`;
}

export function isExternal(
  of: TriggerMetric,
): of is Extract<TriggerMetric, { metric: ExternalMetric }> {
  return of.metric.kind === 'external';
}
