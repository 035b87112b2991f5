import type { Clock, Timer } from './clock.ts';

/** A signal that aborts with another one or after a time, and leaves nothing behind on that other one. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #ms: number;
  #timer: Timer;
  #isPast = false;

  constructor(clock: Clock, ms: number, parent?: AbortSignal) {
    this.#clock = clock;
    this.#ms = ms;
    this.#parent = parent;
    this.#timer = clock.after(ms, this.#expire);
    if (parent?.aborted) this.#follow();
    else parent?.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time was up before `clear`. */
  get isPast(): boolean {
    return this.#isPast;
  }

  /** Begins the time anew. */
  restart(ms = this.#ms): void {
    this.#timer.cancel();
    this.#timer = this.#clock.after(ms, this.#expire);
  }

  /** Aborts now. */
  end(reason: Error): void {
    this.clear();
    this.#controller.abort(reason);
  }

  /** Stops the time, and the listening to the other signal too unless that is kept. */
  clear({ isSignalKept = false }: { isSignalKept?: boolean } = {}): void {
    this.#timer.cancel();
    if (!isSignalKept) this.#parent?.removeEventListener('abort', this.#follow);
  }

  readonly #expire = () => {
    this.#isPast = true;
    this.#controller.abort(new Error(`not done after ${this.#ms} ms`));
  };

  readonly #follow = () => this.#controller.abort(this.#parent?.reason);
}
