/** How much is done at once where hosts go by themselves: over all tasks, and within one that is throttled. */
import pLimit, { type LimitFunction } from 'p-limit';
import type { Task } from '../playbook/model.ts';

export class Limits {
  readonly #forks: number;
  readonly #all: LimitFunction;
  readonly #throttled = new Map<Task, LimitFunction>();

  constructor(forks: number) {
    this.#forks = Math.max(1, forks);
    this.#all = pLimit(this.#forks);
  }

  /** Runs the work of a task of which at most `atOnce` hosts are busy. Who waits for that takes nobody's place. */
  run<T>(task: Task, atOnce: number, work: () => Promise<T>): Promise<T> {
    if (atOnce >= this.#forks) return this.#all(work);
    const limit = this.#throttled.get(task) ?? pLimit(atOnce);
    this.#throttled.set(task, limit);
    return limit(() => this.#all(work));
  }
}
