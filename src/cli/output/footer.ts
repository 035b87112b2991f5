/** The live line on terminals: which task, on how many hosts it is done, for how long it has run. */
import type { TaskInfo } from '../../engine/run/events.ts';

const MOST_NAMES = 3;

/** The progress of one task over its hosts. */
export class Progress {
  readonly #title: string;
  readonly #waiting: Set<string>;
  readonly #hostCount: number;
  readonly #started = performance.now();

  constructor({ title }: TaskInfo, hosts: readonly string[]) {
    this.#title = title;
    this.#waiting = new Set(hosts);
    this.#hostCount = hosts.length;
  }

  done(host: string): void {
    this.#waiting.delete(host);
  }

  text(): string {
    const seconds = Math.floor((performance.now() - this.#started) / 1000);
    const names = [...this.#waiting].slice(0, MOST_NAMES).join(', ');
    const more = this.#waiting.size > MOST_NAMES ? ', …' : '';
    const done = `${this.#hostCount - this.#waiting.size}/${this.#hostCount} hosts`;
    const waiting = names === '' ? '' : `  waiting for ${names}${more}`;
    return `${this.#title}  ${done}  ${seconds} s${waiting}`;
  }
}
