/** Pods that take their time until they are ready. */
export class Replicas {
  readonly #startupMs: number;
  /** When each becomes ready, in order. */
  #readyMs: readonly number[];

  /** Those at the start have been ready for long. */
  constructor(count: number, startupMs: number) {
    this.#startupMs = startupMs;
    this.#readyMs = Array.from({ length: count }, () => Number.NEGATIVE_INFINITY);
  }

  get count(): number {
    return this.#readyMs.length;
  }

  readyAt(nowMs: number): number {
    return this.#readyMs.filter((readyMs) => readyMs <= nowMs).length;
  }

  /** Those that are not ready yet go first, as a ReplicaSet has it. */
  set(count: number, nowMs: number): void {
    const added = Array.from(
      { length: Math.max(0, count - this.count) },
      () => nowMs + this.#startupMs,
    );
    this.#readyMs = [...this.#readyMs.slice(0, count), ...added];
  }
}
