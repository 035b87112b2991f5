/** Aborts after a time, or when another signal does. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #abort = () => this.#controller.abort(this.#outer.reason);
  readonly timeoutMs: number;
  #timer: NodeJS.Timeout;
  hasPassed = false;

  constructor(outer: AbortSignal, timeoutMs: number) {
    this.#outer = outer;
    this.timeoutMs = timeoutMs;
    this.#timer = this.#start();
    if (outer.aborted) this.#abort();
    outer.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => {
      this.hasPassed = true;
      this.#controller.abort();
    }, this.timeoutMs);
  }

  /** The time begins anew. */
  postpone(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#abort);
  }
}
