/** How long a task may go on. */
import type { TaskSettings } from './task-settings.ts';
import type { TaskTurn } from './task-turn.ts';

/** Aborted when the run is interrupted, or when the `timeout` of the task has passed. */
export function signalOf(turn: TaskTurn, { timeoutMs }: TaskSettings): AbortSignal {
  const { signal } = turn.context.run.services;
  return timeoutMs === undefined ? signal : AbortSignal.any([signal, timeLimit(timeoutMs)]);
}

/** As AbortSignal.timeout, which is collected as garbage where only AbortSignal.any knows it, and then never aborts. */
function timeLimit(ms: number): AbortSignal {
  const controller = new AbortController();
  const reason = new DOMException(`not done after ${ms} ms`, 'TimeoutError');
  setTimeout(() => controller.abort(reason), ms).unref();
  return controller.signal;
}
