import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type {
  Inventory,
  MeteredReading,
  MeteredRequest,
  MeteredSource,
  ScaledResource,
} from './metered.ts';
import { BUCKETS, type FamilyName, type LabelsOf, namesOf, readFamily } from './metric-families.ts';
import { addProcessMetrics } from './process-metrics.ts';

export interface ScalerMetricsOptions {
  /** Before every name, such as `tsprov_scaler_`. */
  readonly prefix: string;
  readonly version: string;
  readonly commit: string;
}

interface Series {
  readonly metric: Pick<Gauge, 'remove'>;
  readonly labels: Readonly<Record<string, string>>;
}

/** What Prometheus reads of the scaler. Series of an object last until `forget`. */
export class ScalerMetrics {
  readonly #registry = new Registry();
  readonly #gauges: Readonly<Record<FamilyName<'gauge'>, Gauge>>;
  readonly #counters: Readonly<Record<FamilyName<'counter'>, Counter>>;
  readonly #histograms: Readonly<Record<FamilyName<'histogram'>, Histogram>>;
  /** By object and then by series. */
  readonly #series = new Map<string, Map<string, Series>>();
  #inventory: (() => Inventory) | undefined;

  constructor({ prefix, version, commit }: ScalerMetricsOptions) {
    const configure = (name: FamilyName) => {
      const { help, labels } = readFamily(name);
      return { name: prefix + name, help, labelNames: [...labels], registers: [this.#registry] };
    };
    this.#gauges = makeAll('gauge', (name) => new Gauge(configure(name)));
    this.#counters = makeAll('counter', (name) => new Counter(configure(name)));
    this.#histograms = makeAll(
      'histogram',
      (name) => new Histogram({ ...configure(name), buckets: BUCKETS }),
    );
    const { platform, arch } = process;
    const runtime = { goversion: process.version, goos: platform, goarch: arch };
    this.#set('build_info', { version, git_commit: commit, ...runtime }, 1);
    addProcessMetrics(this.#registry);
  }

  recordReading(source: MeteredSource, { value, isActive, latencySeconds }: MeteredReading): void {
    const labels = sourceLabels(source);
    const { resource } = source;
    this.recordValue(source, value, isActive);
    this.#setOwn(resource, 'scaler_metrics_latency_seconds', labels, latencySeconds);
    // A counter that begins with its first failure hides that failure from rates.
    this.#add(resource, 'scaler_detail_errors_total', labels, 0);
  }

  recordValue(source: MeteredSource, value: number, isActive: boolean): void {
    this.#setOwn(source.resource, 'scaler_metrics_value', sourceLabels(source), value);
    this.recordActive(source, isActive);
  }

  /** Of a source that is not read here. */
  recordActive(source: MeteredSource, isActive: boolean): void {
    this.#setOwn(source.resource, 'scaler_active', sourceLabels(source), Number(isActive));
  }

  /** A reading failed. */
  recordError(source: MeteredSource, latencySeconds: number): void {
    const labels = sourceLabels(source);
    this.#add(source.resource, 'scaler_detail_errors_total', labels, 1);
    this.#setOwn(source.resource, 'scaler_metrics_latency_seconds', labels, latencySeconds);
  }

  /** The source answered without a value. */
  recordEmpty(source: MeteredSource, triggerName: string, isIgnored: boolean): void {
    const { resource, metric } = source;
    const labels = {
      namespace: resource.namespace,
      scaledResource: resource.name,
      triggerName,
      metricName: metric,
      resourceType: resource.kind,
      ignoreNullValues: String(isIgnored),
    };
    this.#add(resource, 'scaler_empty_upstream_responses_total', labels, 1);
  }

  recordRequest({ source, triggerName, status, seconds }: MeteredRequest): void {
    const { resource, metric, scaler } = source;
    const status_code = String(status);
    const labels = {
      namespace: resource.namespace,
      scaled_resource: resource.name,
      scaler,
      trigger_name: triggerName,
      metric_name: metric,
      status_code,
    };
    this.#add(resource, 'scaler_http_requests_total', labels, 1);
    const histogram = this.#histograms.scaler_http_request_duration_seconds;
    histogram.observe({ scaler, status_code }, seconds);
  }

  /** An object could not be brought to where it should be. */
  recordObjectError(resource: ScaledResource): void {
    this.#addErrors(resource, 1);
  }

  /** There is such an object: its errors are counted from 0 on, so that rates see the first. */
  recordObject(resource: ScaledResource): void {
    this.#addErrors(resource, 0);
  }

  setPaused(resource: ScaledResource, isPaused: boolean): void {
    const labels = { namespace: resource.namespace, scaledObject: resource.name };
    this.#setOwn(resource, 'scaled_object_paused', labels, Number(isPaused));
  }

  /** @param seconds How much later than planned the loop ran. */
  recordLoopLatency(resource: ScaledResource, seconds: number): void {
    const { namespace, kind: type, name } = resource;
    const labels = { namespace, type, resource: name };
    this.#setOwn(resource, 'internal_scale_loop_latency_seconds', labels, seconds);
  }

  /** The external metrics API answered. */
  recordAnswer(code: number, seconds: number): void {
    const labels = { status_code: String(code) };
    this.#counters.metrics_api_requests_total.inc(labels);
    this.#histograms.metrics_api_request_duration_seconds.observe(labels, seconds);
  }

  /** @param inventory Called with every scrape. */
  setInventory(inventory: () => Inventory): void {
    this.#inventory = inventory;
  }

  /** Drops every series of an object: it is gone, or its triggers are others now. */
  forget(resource: ScaledResource): void {
    const key = keyOf(resource);
    for (const { metric, labels } of this.#series.get(key)?.values() ?? []) metric.remove(labels);
    this.#series.delete(key);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in the text format of Prometheus. */
  async render(): Promise<string> {
    this.#count(this.#inventory?.());
    return this.#registry.metrics();
  }

  #count(inventory: Inventory | undefined): void {
    if (inventory === undefined) return;
    this.#gauges.trigger_registered_total.reset();
    this.#gauges.resource_registered_total.reset();
    for (const [type, count] of inventory.triggers) {
      this.#set('trigger_registered_total', { type }, count);
    }
    for (const { type, namespace, count } of inventory.resources) {
      this.#set('resource_registered_total', { type, namespace }, count);
    }
  }

  #addErrors(resource: ScaledResource, count: number): void {
    const { kind, namespace, name } = resource;
    if (kind === 'scaledobject') {
      this.#add(resource, 'scaled_object_errors_total', { namespace, scaledObject: name }, count);
    } else {
      this.#add(resource, 'scaled_job_errors_total', { namespace, scaledJob: name }, count);
    }
  }

  #set<F extends FamilyName<'gauge'>>(family: F, labels: LabelsOf<F>, value: number): void {
    this.#gauges[family].set(labels, value);
  }

  #setOwn<F extends FamilyName<'gauge'>>(
    resource: ScaledResource,
    family: F,
    labels: LabelsOf<F>,
    value: number,
  ): void {
    this.#own(resource, family, { metric: this.#gauges[family], labels });
    this.#set(family, labels, value);
  }

  #add<F extends FamilyName<'counter'>>(
    resource: ScaledResource,
    family: F,
    labels: LabelsOf<F>,
    count: number,
  ): void {
    const metric = this.#counters[family];
    this.#own(resource, family, { metric, labels });
    metric.inc(labels, count);
  }

  /** Notes to whom a series belongs. */
  #own(resource: ScaledResource, family: FamilyName, series: Series): void {
    const key = keyOf(resource);
    const all = this.#series.get(key) ?? new Map<string, Series>();
    this.#series.set(key, all);
    all.set([family, ...Object.values(series.labels)].join('\n'), series);
  }
}

function keyOf({ kind, namespace, name }: ScaledResource): string {
  return `${kind}/${namespace}/${name}`;
}

function sourceLabels({ resource, metric, scaler, index }: MeteredSource) {
  const { namespace, name, kind } = resource;
  const triggerIndex = String(index);
  return { namespace, metric, scaledObject: name, scaler, triggerIndex, type: kind };
}

function makeAll<K extends 'gauge' | 'counter' | 'histogram', M>(
  kind: K,
  make: (name: FamilyName<K>) => M,
): Record<FamilyName<K>, M> {
  const made = namesOf(kind).map((name) => [name, make(name)] as const);
  // `fromEntries` forgets which names there were.
  return Object.fromEntries(made) as Record<FamilyName<K>, M>;
}
