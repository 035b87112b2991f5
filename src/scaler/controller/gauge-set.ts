/** The triggers of one object, kept open between polls; one that fails does not stop the others. */
import { MissingCredential } from '../authentication/credential-reader.ts';
import { isExternal, type TriggerMetric } from '../decide/metrics.ts';
import type { Reading } from '../trigger.ts';
import {
  describePlace,
  type OpenTrigger,
  openTrigger,
  type TriggerDependencies,
  type TriggerPlace,
  UnopenedSource,
} from './open-trigger.ts';

export type ExternalTriggerMetric = Extract<TriggerMetric, { readonly metricName: string }>;

/** What one metric of one trigger said. */
export interface MetricReading {
  readonly place: TriggerPlace;
  readonly metric: ExternalTriggerMetric;
  readonly outcome: Reading | { readonly error: string };
  readonly latencySeconds: number;
  /** It was polled before, and has been counted then. */
  readonly isCached?: boolean;
}

/** A trigger that cannot be opened, and so has no metric. */
export interface UnopenedTrigger {
  readonly place: TriggerPlace;
  readonly error: string;
}

export interface Readings {
  readonly metrics: readonly MetricReading[];
  readonly unopened: readonly UnopenedTrigger[];
}

export interface KnownMetrics {
  readonly metrics: readonly TriggerMetric[];
  /** Triggers that have no metric because they cannot be opened. */
  readonly unopened: readonly UnopenedTrigger[];
  /** These, and those that cannot be opened although their metric is known. */
  readonly closed: readonly UnopenedTrigger[];
  readonly isAnyOpen: boolean;
}

type Slot =
  | { readonly state: 'open'; readonly trigger: OpenTrigger }
  | {
      readonly state: 'unopened';
      readonly error: string;
      /** Known from before, or without the source. */
      readonly metrics: readonly TriggerMetric[];
    };

export function hasError(outcome: MetricReading['outcome']): outcome is { readonly error: string } {
  return 'error' in outcome;
}

export class GaugeSet {
  readonly #places: readonly TriggerPlace[];
  readonly #dependencies: TriggerDependencies;
  readonly #slots = new Map<number, Promise<Slot>>();
  /** The metrics of each trigger when they were last known: one that fails later keeps them. */
  readonly #known = new Map<number, readonly TriggerMetric[]>();
  /** Reads under way, by metric: those who ask meanwhile share the answer. */
  readonly #reads = new Map<string, Promise<MetricReading>>();
  /** What was polled last, by metric, for triggers with `useCachedMetrics`. */
  readonly #cached = new Map<string, MetricReading>();
  readonly #ending = new AbortController();

  constructor(places: readonly TriggerPlace[], dependencies: TriggerDependencies) {
    this.#places = places;
    this.#dependencies = dependencies;
  }

  /** The metrics of all triggers, in their order, and those that cannot be opened. */
  async metrics(): Promise<KnownMetrics> {
    const slots = await Promise.all(
      this.#places.map(async (place) => ({ place, slot: await this.#slot(place) })),
    );
    const closed = slots.flatMap(({ place, slot }) =>
      slot.state === 'open' ? [] : [{ place, error: slot.error, metrics: slot.metrics }],
    );
    return {
      metrics: slots.flatMap(({ slot }) => metricsOf(slot)),
      unopened: closed.filter(({ metrics }) => metrics.length === 0),
      closed,
      isAnyOpen: closed.length < slots.length,
    };
  }

  /** Reads every metric anew; those of triggers that could not be opened are tried again first. */
  async poll(): Promise<Readings> {
    const all = await Promise.all(this.#places.map((place) => this.#pollTrigger(place)));
    const metrics = all.flatMap((found) => found.metrics);
    for (const reading of metrics) {
      if (reading.place.spec.useCachedMetrics === true) {
        this.#cached.set(reading.metric.metricName, reading);
      }
    }
    return { metrics, unopened: all.flatMap((found) => found.unopened) };
  }

  /** Reads one metric for the HPA, or gives what was last polled where the trigger asks for that. */
  async answer(metricName: string): Promise<MetricReading | undefined> {
    const wanted = metricName.toLowerCase();
    const { metrics } = await this.metrics();
    const metric = metrics
      .filter(isExternal)
      .find((each) => each.metricName.toLowerCase() === wanted);
    const place = this.#places.find(({ index }) => index === metric?.index);
    if (metric === undefined || place === undefined) return undefined;
    const cached = this.#cached.get(metric.metricName);
    return cached === undefined ? this.#read(place, metric) : { ...cached, isCached: true };
  }

  /** Calls back on every push of a source, until the set is closed. */
  async watch(onActive: (metricName: string) => void, onChange: () => void): Promise<void> {
    const slots = await Promise.all(this.#places.map((place) => this.#slot(place)));
    await Promise.all(slots.flatMap((slot) => this.#watchSlot(slot, onActive, onChange)));
  }

  /** Opens all triggers anew at their next use: credentials have changed. */
  async refresh(): Promise<void> {
    const slots = [...this.#slots.values()];
    this.#slots.clear();
    await closeAll(slots);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.refresh();
  }

  async #pollTrigger(place: TriggerPlace): Promise<Readings> {
    const known = await this.#slot(place);
    const slot = needsReopening(known, this.#dependencies.now().getTime())
      ? await this.#reopen(place)
      : known;
    const metrics = metricsOf(slot).filter(isExternal);
    const readings = await Promise.all(metrics.map((metric) => this.#read(place, metric)));
    if (slot.state === 'open') return { metrics: readings, unopened: [] };
    return {
      metrics: readings,
      unopened: metrics.length > 0 ? [] : [{ place, error: slot.error }],
    };
  }

  #read(place: TriggerPlace, metric: ExternalTriggerMetric): Promise<MetricReading> {
    const known = this.#reads.get(metric.metricName);
    if (known !== undefined) return known;
    const reading = this.#readTwice(place, metric).finally(() => {
      this.#reads.delete(metric.metricName);
    });
    this.#reads.set(metric.metricName, reading);
    return reading;
  }

  /** A source that fails is opened anew, with fresh credentials, and asked once more. */
  async #readTwice(place: TriggerPlace, metric: ExternalTriggerMetric): Promise<MetricReading> {
    const startMs = performance.now();
    let outcome = await this.#readOnce(await this.#slot(place), metric);
    if (hasError(outcome) && !this.#ending.signal.aborted) {
      outcome = await this.#readOnce(await this.#reopen(place), metric);
    }
    return { place, metric, outcome, latencySeconds: (performance.now() - startMs) / 1000 };
  }

  async #readOnce(
    slot: Slot,
    { metric }: ExternalTriggerMetric,
  ): Promise<MetricReading['outcome']> {
    if (slot.state === 'unopened') return { error: slot.error };
    const { gauge, place } = slot.trigger;
    if (gauge === undefined) return { error: `${describePlace(place)}: there is nothing to read` };
    try {
      const reading = await gauge.read(this.#ending.signal, metric.name);
      if (Number.isFinite(reading.value)) return reading;
      return { error: `${describePlace(place)}: the source gave no number` };
    } catch (error) {
      return { error: `${describePlace(place)}: ${messageOf(error)}` };
    }
  }

  #slot(place: TriggerPlace): Promise<Slot> {
    const known = this.#slots.get(place.index);
    if (known !== undefined) return known;
    const slot = this.#open(place);
    this.#slots.set(place.index, slot);
    return slot;
  }

  async #reopen(place: TriggerPlace): Promise<Slot> {
    const before = await this.#slots.get(place.index);
    const slot = this.#open(place);
    this.#slots.set(place.index, slot);
    if (before?.state === 'open') await before.trigger.gauge?.close().catch(() => {});
    return slot;
  }

  async #open(place: TriggerPlace): Promise<Slot> {
    try {
      const trigger = await openTrigger(place, this.#dependencies, this.#ending.signal);
      this.#known.set(place.index, trigger.metrics);
      return { state: 'open', trigger };
    } catch (error) {
      if (error instanceof UnopenedSource) this.#known.set(place.index, error.metrics);
      const metrics = this.#known.get(place.index) ?? [];
      return { state: 'unopened', error: `${describePlace(place)}: ${messageOf(error)}`, metrics };
    }
  }

  #watchSlot(
    slot: Slot,
    onActive: (metricName: string) => void,
    onChange: () => void,
  ): readonly Promise<void>[] {
    if (slot.state === 'unopened') return [];
    const { gauge, metrics } = slot.trigger;
    const { signal } = this.#ending;
    const active = () => {
      for (const { metricName } of metrics.filter(isExternal)) onActive(metricName);
    };
    const watches = [gauge?.watch?.(active, signal), gauge?.watchMetrics?.(onChange, signal)];
    return watches.flatMap((watch) => (watch === undefined ? [] : [watch.catch(() => {})]));
  }
}

function metricsOf(slot: Slot): readonly TriggerMetric[] {
  return slot.state === 'open' ? slot.trigger.metrics : slot.metrics;
}

function needsReopening(slot: Slot, nowMs: number): boolean {
  if (slot.state === 'unopened') return true;
  return slot.trigger.expiresMs !== undefined && slot.trigger.expiresMs <= nowMs;
}

async function closeAll(slots: readonly Promise<Slot>[]): Promise<void> {
  await Promise.all(
    slots.map(async (slot) => {
      const found = await slot;
      if (found.state === 'open') await found.trigger.gauge?.close().catch(() => {});
    }),
  );
}

/** Errors of the manifest and of credentials are sentences; others too, but may hide their cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof MissingCredential || error.message !== '') return error.message;
  return error.cause instanceof Error ? error.cause.message : error.name;
}
