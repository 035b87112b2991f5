/** What the controllers tell the outside world of numbers; `web/` turns it into Prometheus metrics. */
import type { TriggerSpec } from '../resources/triggers.ts';
import type { MetricReading } from './gauge-set.ts';

export interface ObjectName {
  readonly kind: 'ScaledObject' | 'ScaledJob';
  readonly namespace: string;
  readonly name: string;
}

export interface Recorder {
  reading(object: ObjectName, reading: MetricReading): void;
  /** A fallback gives the value of a metric that could not be read. */
  standIn(object: ObjectName, reading: MetricReading, value: number): void;
  /** The metric of a formula. */
  composite(object: ObjectName, metricName: string, value: number, isActive: boolean): void;
  /** A trigger that only the HPA reads counts as active. @param metric `cpu` or `memory`. */
  resource(
    object: ObjectName,
    trigger: { readonly spec: TriggerSpec; readonly index: number },
    metric: string,
  ): void;
  /** A reconcile that failed. */
  objectError(object: ObjectName): void;
  paused(object: ObjectName, isPaused: boolean): void;
  /** How late a poll began. */
  loopLatency(object: ObjectName, seconds: number): void;
  /** The object is gone, and its series with it. */
  forget(object: ObjectName): void;
}
