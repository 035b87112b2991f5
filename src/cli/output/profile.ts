/** Where the time of a run went: tasks by duration, as Ansible's profile_tasks shows them. */
import type { TaskInfo } from '../../engine/run/events.ts';

const MOST_TASKS = 20;
const COLUMNS = 79;

/** Measures tasks from the start of one to the start of the next. */
export class Profile {
  readonly #spentMs = new Map<string, number>();
  #current: { readonly title: string; readonly since: number } | undefined;

  start({ title }: Pick<TaskInfo, 'title'>): void {
    this.#end();
    this.#current = { title, since: performance.now() };
  }

  /** The slowest tasks, and the time of the whole run. */
  lines(totalMs: number): string[] {
    this.#end();
    const slowest = [...this.#spentMs].sort(([, a], [, b]) => b - a).slice(0, MOST_TASKS);
    return [
      '='.repeat(COLUMNS),
      ...slowest.map(([title, ms]) => profileLine(title, seconds(ms))),
      `Total time: ${seconds(totalMs)}`,
    ];
  }

  #end(): void {
    if (this.#current === undefined) return;
    const { title, since } = this.#current;
    this.#spentMs.set(title, (this.#spentMs.get(title) ?? 0) + performance.now() - since);
    this.#current = undefined;
  }
}

function profileLine(title: string, time: string): string {
  const dashes = Math.max(3, COLUMNS - 2 - title.length - time.length);
  return `${title} ${'-'.repeat(dashes)} ${time}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)}s`;
}
