/** Turns what the controllers tell into Prometheus metrics. */
import { CLUSTER_NAMESPACE } from '../cluster/event-object.ts';
import { hasError, type MetricReading } from '../controller/gauge-set.ts';
import type { SourceRequest } from '../controller/open-trigger.ts';
import type { ObjectName, Recorder } from '../controller/recorder.ts';
import { COMPOSITE_METRIC } from '../decide/metrics.ts';
import type { Names } from '../names.ts';
import type { TriggerSpec } from '../resources/triggers.ts';
import type { Inventory, MeteredRequest, ScaledResource } from '../web/metered.ts';
import type { ScalerMetrics } from '../web/scaler-metrics.ts';
import type { Caches } from './caches.ts';

export function makeRecorder(metrics: ScalerMetrics, { scalerLabels }: Names): Recorder {
  const scalerOf = ({ name, type }: TriggerSpec) => name || (scalerLabels[type] ?? type);
  const sourceOf = (object: ObjectName, { place, metric }: MetricReading) => ({
    resource: resourceOf(object),
    metric: metric.metricName,
    scaler: scalerOf(place.spec),
    index: place.index,
  });
  return {
    reading(object, reading) {
      const { outcome, latencySeconds, place } = reading;
      const { spec } = place;
      const source = sourceOf(object, reading);
      if (hasError(outcome)) return metrics.recordError(source, latencySeconds);
      const { value, isActive, isEmpty } = outcome;
      metrics.recordReading(source, { value, isActive, latencySeconds });
      if (isEmpty === true) metrics.recordEmpty(source, spec.name ?? '', true);
    },
    standIn: (object, reading, value) =>
      metrics.recordValue(sourceOf(object, reading), value, true),
    composite(object, metric, value, isActive) {
      const resource = resourceOf(object);
      const source = { resource, metric, scaler: COMPOSITE_METRIC, index: 0 };
      metrics.recordReading(source, { value, isActive, latencySeconds: 0 });
    },
    resource(object, { spec, index }, metric) {
      const source = { resource: resourceOf(object), metric, scaler: scalerOf(spec), index };
      metrics.recordActive(source, true);
    },
    objectError: (object) => metrics.recordObjectError(resourceOf(object)),
    paused(object, isPaused) {
      metrics.recordObject(resourceOf(object));
      metrics.setPaused(resourceOf(object), isPaused);
    },
    loopLatency: (object, seconds) => metrics.recordLoopLatency(resourceOf(object), seconds),
    forget: (object) => metrics.forget(resourceOf(object)),
  };
}

/** A request of a trigger, as it is counted. */
export function meteredRequest({
  place,
  metricName,
  status,
  seconds,
}: SourceRequest): MeteredRequest {
  const { object, spec, index } = place;
  const kind = object.kind === 'ScaledJob' ? 'scaledjob' : 'scaledobject';
  const resource = { kind, namespace: object.namespace, name: object.name } as const;
  return {
    source: { resource, metric: metricName, scaler: spec.type, index },
    triggerName: spec.name ?? '',
    status,
    seconds,
  };
}

/** What there is, counted from the caches. */
export function takeInventory(caches: Caches): Inventory {
  const triggers = new Map<string, number>();
  for (const { spec } of [...caches.scaledObjects.list(), ...caches.scaledJobs.list()]) {
    for (const { type } of spec.triggers) triggers.set(type, (triggers.get(type) ?? 0) + 1);
  }
  return {
    triggers,
    resources: [
      ...count('scaled_object', caches.scaledObjects),
      ...count('scaled_job', caches.scaledJobs),
      ...count('trigger_authentication', caches.authentications),
      ...count('cluster_trigger_authentication', caches.clusterAuthentications),
    ],
  };
}

function count<T extends Inventory['resources'][number]['type']>(
  type: T,
  cache: Pick<Caches['scaledObjects'] | Caches['authentications'], 'list'>,
) {
  const counts = new Map<string, number>();
  for (const { metadata } of cache.list()) {
    // Where KEDA counts them, and where their events go.
    const { namespace = CLUSTER_NAMESPACE } = metadata;
    counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  }
  return [...counts].map(([namespace, number]) => ({ type, namespace, count: number }));
}

function resourceOf({ kind, namespace, name }: ObjectName): ScaledResource {
  return { kind: kind === 'ScaledObject' ? 'scaledobject' : 'scaledjob', namespace, name };
}
