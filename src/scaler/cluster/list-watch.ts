import type { ApiClient, Query } from '../../kubernetes/api-client.ts';
import { ApiError, isExpired } from '../../kubernetes/api-error.ts';
import {
  type Backoff,
  between,
  exponentialBackoff,
  type Random,
} from '../../kubernetes/backoff.ts';
import { type Clock, sleep, systemClock } from '../../kubernetes/clock.ts';
import { Deadline } from '../../kubernetes/deadline.ts';
import type { KubeList, KubeObject, ObjectPath, Resource } from '../../kubernetes/objects.ts';
import { GarbledStream, readWatchEvents, type WatchEvent } from './watch-stream.ts';

/** Who follows a list-watch. */
export interface Follower<T> {
  /** Keeps of an object as the server sends it only what is needed; called once for each. */
  trim(object: KubeObject): T;
  /** Everything there is; what was known and is not among it is gone. */
  onList(objects: readonly T[]): void;
  onEvent(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void;
}

export interface Selection {
  readonly resource: Resource;
  /** Absent: those of all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListWatchOptions {
  readonly client: ApiClient;
  /** Told of every interruption; they are mended without help. */
  readonly onProblem: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

const PAGE = 500;
const LEAST_WATCH_SECONDS = 300;
const MOST_WATCH_SECONDS = 600;
/** The server sends a bookmark every minute; a connection that brings nothing for longer is dead. */
const IDLE_MS = 180_000;
/** A watch that ends sooner, without an event, counts as a failure: asking again at once would be a storm. */
const SHORT_MS = 1000;
const LEAST_BACKOFF_MS = 500;
const MOST_BACKOFF_MS = 10_000;

/** Lists objects, watches them from there, and goes on through every interruption without losing a change. */
export class ListWatch<T> {
  readonly #path: ObjectPath;
  readonly #query: Query;
  readonly #follower: Follower<T>;
  readonly #client: ApiClient;
  readonly #onProblem: (error: unknown) => void;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: Backoff;
  #failures = 0;
  /** From where to watch; absent: list first. */
  #position: string | undefined;
  /** The newest version seen: a list must not be older. */
  #seen: string | undefined;

  constructor(selection: Selection, follower: Follower<T>, options: ListWatchOptions) {
    const { resource, namespace, labelSelector, fieldSelector } = selection;
    this.#path = { ...resource, namespace };
    this.#query = { labelSelector, fieldSelector };
    this.#follower = follower;
    this.#client = options.client;
    this.#onProblem = options.onProblem;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#backoff = exponentialBackoff(LEAST_BACKOFF_MS, MOST_BACKOFF_MS, this.#random);
  }

  /** Goes on until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let delays = 0;
      try {
        this.#position ??= await this.#list(signal);
        await this.#watch(this.#position, signal);
        delays = this.#failures;
      } catch (error) {
        if (signal.aborted) return;
        this.#fail(error);
        // Expiry is no trouble of the server's: listing at once is the answer, unless it comes again and again.
        delays = isExpired(error) ? this.#failures - 1 : this.#failures;
      }
      if (delays === 0) continue;
      await sleep(this.#clock, this.#backoff(delays), signal).catch(() => undefined);
    }
  }

  #fail(error: unknown): void {
    this.#failures += 1;
    this.#onProblem(error);
    const isTooOld = isExpired(error);
    if (isTooOld || isAhead(error)) this.#seen = undefined;
    // What was read from a garbled stream may have left a change out.
    if (isTooOld || isAhead(error) || error instanceof GarbledStream) this.#position = undefined;
  }

  /** Tells the follower everything there is; gives the version from which to watch. */
  async #list(signal: AbortSignal): Promise<string> {
    const from = this.#seen;
    const version: Query =
      from === undefined ? {} : { resourceVersion: from, resourceVersionMatch: 'NotOlderThan' };
    const first = await this.#page({ limit: PAGE, ...version }, signal);
    const { items, metadata } = await this.#rest(first, signal);
    const position = metadata.resourceVersion ?? '';
    this.#seen = position;
    this.#follower.onList(items);
    return position;
  }

  /** All pages as one list, at the version of the first. */
  async #rest(first: KubeList<T>, signal: AbortSignal): Promise<KubeList<T>> {
    const items = [...first.items];
    let next = first.metadata.continue;
    while (next) {
      try {
        const page = await this.#page({ limit: PAGE, continue: next }, signal);
        for (const item of page.items) items.push(item);
        next = page.metadata.continue;
      } catch (error) {
        // The pages took too long and their version is gone: all in one answer then.
        if (isExpired(error)) return this.#page({}, signal);
        throw error;
      }
    }
    return { items, metadata: first.metadata };
  }

  async #page(query: Query, signal: AbortSignal): Promise<KubeList<T>> {
    const page = await this.#client.list<KubeObject>(this.#path, {
      signal,
      query: { ...this.#query, ...query },
    });
    return { ...page, items: page.items.map((item) => this.#follower.trim(item)) };
  }

  /** Tells the follower what happens, until the server ends the watch. */
  async #watch(position: string, signal: AbortSignal): Promise<void> {
    const seconds = between(LEAST_WATCH_SECONDS, MOST_WATCH_SECONDS, this.#random);
    const query = {
      ...this.#query,
      resourceVersion: position,
      allowWatchBookmarks: true,
      timeoutSeconds: Math.round(seconds),
    };
    const startedMs = this.#clock.monotonicMs();
    const idle = new Deadline(this.#clock, IDLE_MS, signal);
    let events = 0;
    try {
      const stream = await this.#client.watch(this.#path, { query, signal: idle.signal });
      for await (const event of readWatchEvents(restarting(idle, stream))) {
        events += 1;
        this.#take(event);
      }
    } catch (error) {
      // A quiet connection is given up and the watch goes on from where it was: nothing to report.
      if (!idle.isPast) throw error;
    } finally {
      idle.clear();
    }
    const isShort = events === 0 && this.#clock.monotonicMs() - startedMs < SHORT_MS;
    this.#failures = isShort ? this.#failures + 1 : 0;
  }

  #take({ type, object }: WatchEvent): void {
    if (type !== 'BOOKMARK') this.#follower.onEvent(type, this.#follower.trim(object));
    const { resourceVersion } = object.metadata;
    if (resourceVersion) {
      this.#position = resourceVersion;
      this.#seen = resourceVersion;
    }
    this.#failures = 0;
  }
}

/** The server knows no version that new: it was restored from a backup. */
function isAhead(error: unknown): boolean {
  return error instanceof ApiError && error.code === 504 && /resource version/i.test(error.message);
}

async function* restarting(idle: Deadline, stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    idle.restart();
    yield chunk;
  }
}
