import type { ApiClient } from '../../kubernetes/api-client.ts';
import { ApiError } from '../../kubernetes/api-error.ts';
import { exponentialBackoff, type Random } from '../../kubernetes/backoff.ts';
import { type Clock, sleep, systemClock } from '../../kubernetes/clock.ts';
import type { ObjectPath } from '../../kubernetes/objects.ts';
import {
  CLUSTER_NAMESPACE,
  type Happening,
  renderEvent,
  renderSeries,
  type Seen,
} from './event-object.ts';

export interface RecorderOptions {
  readonly client: ApiClient;
  /** Who reports, as `example.com/controller`. */
  readonly reportingController: string;
  /** Which of its processes. */
  readonly reportingInstance: string;
  /** Events that wait at most; default 1000. */
  readonly capacity?: number;
  readonly onProblem: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** An event that comes again within this time is counted in a series. */
const SERIES_MS = 360_000;
/** A series is written at most so often. */
const SERIES_PERIOD_MS = 30_000;
const SWEEP_MS = 60_000;
const MOST_ATTEMPTS = 6;

/** Writes events of events.k8s.io/v1, one after the other, without ever making its caller wait. */
export class EventRecorder {
  readonly #options: RecorderOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #capacity: number;
  readonly #seen = new Map<string, Seen>();
  /** What has to be written, in the order it happened. */
  readonly #queue = new Set<Seen>();
  readonly #stop = new AbortController();
  #writing: Promise<void> | undefined;
  #dropped = 0;
  #sweptAtMs = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#capacity = options.capacity ?? 1000;
  }

  /** How many events were given up, since too many waited or the server would not have them. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes note of an event; it is written as soon as can be. */
  record(happening: Happening): void {
    const nowMs = this.#clock.monotonicMs();
    const key = keyOf(happening);
    const known = this.#seen.get(key);
    if (known !== undefined && nowMs - known.lastMs < SERIES_MS) {
      known.count += 1;
      known.lastMs = nowMs;
      known.lastWallMs = this.#clock.wallMs();
      this.#writeSeries(known);
      return;
    }
    this.#forgetOld(nowMs);
    const wallMs = this.#clock.wallMs();
    const fresh: Seen = {
      happening,
      name: this.#nameFor(happening, wallMs),
      firstWallMs: wallMs,
      lastWallMs: wallMs,
      lastMs: nowMs,
      count: 1,
      writtenCount: 0,
      isDue: false,
    };
    this.#seen.set(key, fresh);
    this.#enqueue(fresh);
  }

  /** Writes what waits, for that long at most, and takes no more. */
  async close(timeoutMs: number): Promise<void> {
    const late = this.#clock.after(timeoutMs, () =>
      this.#stop.abort(new Error('events are given up')),
    );
    await this.#writing;
    for (const seen of this.#seen.values()) {
      if (seen.count > seen.writtenCount) this.#enqueue(seen);
    }
    await this.#writing;
    late.cancel();
    this.#stop.abort(new Error('the event recorder is closed'));
  }

  #nameFor({ regarding }: Happening, wallMs: number): string {
    const suffix = `${wallMs.toString(16)}${Math.floor(this.#random() * 0x10000)
      .toString(16)
      .padStart(4, '0')}`;
    return `${regarding.name.slice(0, 252 - suffix.length)}.${suffix}`;
  }

  #writeSeries(seen: Seen): void {
    if (seen.isDue) return;
    seen.isDue = true;
    this.#clock.after(SERIES_PERIOD_MS, () => {
      seen.isDue = false;
      if (seen.count > seen.writtenCount) this.#enqueue(seen);
    });
  }

  #enqueue(seen: Seen): void {
    if (this.#stop.signal.aborted) return;
    if (this.#queue.size >= this.#capacity) {
      this.#dropped += 1;
      return;
    }
    this.#queue.add(seen);
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined;
    });
  }

  async #drain(): Promise<void> {
    for (const seen of this.#queue) {
      if (!this.#stop.signal.aborted) await this.#write(seen);
      else this.#dropped += 1;
      this.#queue.delete(seen);
    }
  }

  async #write(seen: Seen): Promise<void> {
    const backoff = exponentialBackoff(500, 10_000, this.#random);
    const { signal } = this.#stop;
    for (let attempts = 1; ; attempts += 1) {
      try {
        await this.#send(seen, signal);
        return;
      } catch (error) {
        const isFinal = error instanceof ApiError && error.code < 500;
        if (isFinal || attempts >= MOST_ATTEMPTS || signal.aborted) {
          this.#dropped += 1;
          seen.writtenCount = seen.count;
          this.#options.onProblem(error);
          return;
        }
        await sleep(this.#clock, backoff(attempts), signal).catch(() => undefined);
      }
    }
  }

  /** Makes the event, or counts in the one that is there how often it has happened. */
  async #send(seen: Seen, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const { count, lastWallMs } = seen;
    const { namespace } = seen.happening.regarding;
    const path: ObjectPath = {
      group: 'events.k8s.io',
      version: 'v1',
      resource: 'events',
      namespace: namespace ?? CLUSTER_NAMESPACE,
    };
    if (seen.writtenCount > 0) {
      const series = renderSeries(count, lastWallMs);
      const named = { ...path, name: seen.name };
      const patching = client.patch(named, 'merge', { series }, { signal });
      if (await unless(404, patching)) {
        seen.writtenCount = count;
        return;
      }
    }
    // One that is there already: an earlier attempt arrived, its answer did not.
    await unless(409, client.create(path, renderEvent(seen, this.#options), { signal }));
    seen.writtenCount = count;
  }

  #forgetOld(nowMs: number): void {
    if (nowMs - this.#sweptAtMs < SWEEP_MS) return;
    this.#sweptAtMs = nowMs;
    for (const [key, { lastMs }] of this.#seen) {
      if (nowMs - lastMs >= SERIES_MS) this.#seen.delete(key);
    }
  }
}

/** Whether a request went well; false where it was answered with this status. */
async function unless(code: number, request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return false;
    throw error;
  }
}

function keyOf({ regarding, type, reason, action, note, related }: Happening): string {
  const { kind, namespace, name, uid } = regarding;
  return JSON.stringify([kind, namespace, name, uid, type, reason, action, note, related?.name]);
}
