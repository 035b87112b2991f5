/** Answers kept for a short time, so that the same question is not asked again and again. */

import type { Clock } from '../../kubernetes/clock.ts';

interface Entry<T> {
  readonly answer: Promise<T>;
  readonly expiresAtMs: number;
}

/** A cache of bounded size. Callers with the same question share one request; failures are not kept. */
export class AnswerCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #lifeMs: number;
  readonly #maxEntries: number;
  readonly #clock: Clock;

  constructor(lifeMs: number, clock: Clock, maxEntries = 4096) {
    this.#lifeMs = lifeMs;
    this.#maxEntries = maxEntries;
    this.#clock = clock;
  }

  get(question: string, ask: () => Promise<T>): Promise<T> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#entries.get(question);
    if (known !== undefined && nowMs < known.expiresAtMs) return known.answer;
    const entry: Entry<T> = { answer: ask(), expiresAtMs: nowMs + this.#lifeMs };
    this.#entries.delete(question);
    this.#entries.set(question, entry);
    entry.answer.catch(() => {
      if (this.#entries.get(question) === entry) this.#entries.delete(question);
    });
    this.#dropOldest();
    return entry.answer;
  }

  /** Entries stand in the order in which they were asked. */
  #dropOldest(): void {
    for (const question of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) return;
      this.#entries.delete(question);
    }
  }
}
