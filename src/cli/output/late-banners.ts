import type { TaskInfo } from '../../engine/run/events.ts';

/** Banners of tasks where hosts go by themselves: each comes before what its task shows, unless it stands there. */
export class LateBanners {
  readonly #shows = new WeakMap<TaskInfo, () => void>();
  #last = '';

  /** Keeps the banner of a task that has begun. */
  keep(task: TaskInfo, show: () => void): void {
    this.#shows.set(task, show);
  }

  /** Shows the banner of a task that is about to show something. */
  introduce(task: TaskInfo): void {
    const show = this.#shows.get(task);
    if (show === undefined) return;
    const { title, position } = task;
    const place = `${position.file}:${position.line}:${position.column} ${title}`;
    if (place !== this.#last) show();
    this.#last = place;
  }
}
