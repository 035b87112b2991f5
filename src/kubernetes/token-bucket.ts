import { type Clock, sleep } from './clock.ts';

/** Lets `perSecond` requests through on average and up to `burst` at once; the others wait in the order they came. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  /** Below zero: that many wait. */
  #tokens: number;
  #filledAtMs: number;

  constructor(clock: Clock, { perSecond, burst }: { perSecond: number; burst: number }) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAtMs = clock.monotonicMs();
  }

  /** Resolves when a request may be sent; rejects when the signal aborts before. */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#fill();
    this.#tokens -= 1;
    if (this.#tokens >= 0) return;
    try {
      await sleep(this.#clock, (-this.#tokens / this.#perSecond) * 1000, signal);
    } catch (error) {
      this.#tokens += 1;
      throw error;
    }
  }

  #fill(): void {
    const nowMs = this.#clock.monotonicMs();
    const gained = ((nowMs - this.#filledAtMs) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
    this.#filledAtMs = nowMs;
  }
}
