import { setMaxListeners } from 'node:events';
import type { Backoff } from '../../kubernetes/backoff.ts';
import { type Clock, systemClock, type Timer } from '../../kubernetes/clock.ts';

export interface Result {
  /** Come back after this long even if nothing changes. Absent: wait for the next event. */
  readonly requeueAfterMs?: number | undefined;
}

/** Brings what a key names to its wanted state; reads everything anew and never asks what woke it. */
export type Reconcile = (key: string, signal: AbortSignal) => Promise<Result>;

/** An error that trying again cannot cure: recorded in status, not tried again until something changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

export interface QueueOptions {
  /** How many keys run at once. */
  readonly workers: number;
  readonly backoff: Backoff;
  readonly onError: (key: string, error: unknown) => void;
  readonly clock?: Clock;
}

/**
 * Runs a reconciler over keys. One key never runs twice at once; repeats while it waits collapse into one; a key that
 * failed comes back after a while of its own.
 */
export class WorkQueue {
  readonly #reconcile: Reconcile;
  readonly #options: QueueOptions;
  readonly #clock: Clock;
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #timers = new Map<string, Timer & { readonly dueMs: number }>();
  readonly #failures = new Map<string, number>();
  /** Keys that were forgotten while they ran. */
  readonly #forgotten = new Set<string>();
  readonly #stop = new AbortController();

  constructor(reconcile: Reconcile, options: QueueOptions) {
    this.#reconcile = reconcile;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    setMaxListeners(0, this.#stop.signal); // Each request of each run has a listener of its own.
  }

  /** How many keys are due and not running yet. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Asks for a run as soon as a worker is free. Replaces any run of the key that was due later. */
  add(key: string): void {
    if (this.#stop.signal.aborted) return;
    this.#cancelTimer(key);
    this.#forgotten.delete(key);
    this.#waiting.add(key);
    this.#pump();
  }

  /** Asks for a run after that long, unless one is due earlier. */
  addAfter(key: string, ms: number): void {
    const dueMs = this.#clock.monotonicMs() + ms;
    const earlier = this.#timers.get(key);
    if (this.#stop.signal.aborted || this.#waiting.has(key)) return;
    if (earlier !== undefined && earlier.dueMs <= dueMs) return;
    earlier?.cancel();
    this.#forgotten.delete(key);
    const timer = this.#clock.after(ms, () => this.add(key));
    this.#timers.set(key, { dueMs, cancel: () => timer.cancel() });
  }

  /** Drops all that is due and known of a key. A run that goes on ends by itself and asks for no other. */
  forget(key: string): void {
    this.#cancelTimer(key);
    this.#waiting.delete(key);
    this.#failures.delete(key);
    if (this.#running.has(key)) this.#forgotten.add(key);
  }

  /** Starts nothing more, aborts the signal of the runs that go on, and resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the work queue stops'));
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #cancelTimer(key: string): void {
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
  }

  #pump(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#options.workers) return;
      if (!this.#running.has(key)) this.#start(key);
    }
  }

  #start(key: string): void {
    this.#waiting.delete(key);
    const run = this.#attempt(key).then((delayMs) => {
      this.#running.delete(key);
      if (this.#forgotten.delete(key)) this.#failures.delete(key);
      else if (delayMs !== undefined) this.addAfter(key, delayMs);
      this.#pump();
    });
    this.#running.set(key, run);
  }

  /** Runs the reconciler once; resolves to the delay until the next run, if one is wanted. */
  async #attempt(key: string): Promise<number | undefined> {
    try {
      const { requeueAfterMs } = await this.#reconcile(key, this.#stop.signal);
      this.#failures.delete(key);
      return requeueAfterMs;
    } catch (error) {
      if (this.#stop.signal.aborted) return undefined;
      this.#options.onError(key, error);
      if (error instanceof TerminalError) return undefined;
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      return this.#options.backoff(failures);
    }
  }
}
