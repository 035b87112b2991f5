import type { Clock, Timer } from '../../../src/kubernetes/clock.ts';
import { soon } from './soon.ts';

interface Pending {
  readonly ms: number;
  readonly dueMs: number;
  readonly act: () => void;
}

/** Time that passes only when a test says so. */
export class FakeClock implements Clock {
  #nowMs = 0;
  #wallMs = Date.UTC(2026, 0, 1);
  /** What people's clocks showed when it began. */
  readonly wallMsAtStart = this.#wallMs;
  readonly #pending = new Set<Pending>();

  wallMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(ms: number, act: () => void): Timer {
    const pending = { ms, dueMs: this.#nowMs + ms, act };
    this.#pending.add(pending);
    return { cancel: () => this.#pending.delete(pending) };
  }

  /** The waits that go on, in milliseconds as they were asked for, shortest first. */
  get waits(): readonly number[] {
    return [...this.#pending].map(({ ms }) => ms).sort((a, b) => a - b);
  }

  /** Sets the machine's clock; nothing that waits notices. */
  jump(ms: number): void {
    this.#wallMs += ms;
  }

  /** Lets time pass without anything that becomes due happening yet: the machine stood still. */
  skip(ms: number): void {
    this.#set(this.#nowMs + ms);
  }

  /** Lets time pass, and everything that becomes due happen in its order. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settle();
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#set(Math.max(next.dueMs, this.#nowMs));
      this.#pending.delete(next);
      next.act();
      await settle();
    }
    this.#set(endMs);
  }

  /** Waits until somebody waits for that long (rounded), then lets that time pass. */
  async pass(ms: number): Promise<void> {
    await this.whenWaiting(ms);
    await this.advance(ms);
  }

  /** Resolves when somebody waits for that long (rounded). */
  async whenWaiting(ms: number): Promise<void> {
    await soon(
      () => this.waits.some((each) => Math.round(each) === ms),
      () => `nobody waits for ${ms} ms, but for ${this.waits}`,
    );
  }

  #next(endMs: number): Pending | undefined {
    const due = [...this.#pending].filter(({ dueMs }) => dueMs <= endMs);
    return due.sort((a, b) => a.dueMs - b.dueMs)[0];
  }

  #set(nowMs: number): void {
    this.#wallMs += nowMs - this.#nowMs;
    this.#nowMs = nowMs;
  }
}

/** Lets everything happen that waits for nothing. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
