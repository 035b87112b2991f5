/** What a task reports of its objects, as kubernetes.core does. */
import type { Result } from '../../../engine/module.ts';
import { hideFields } from './hidden-fields.ts';
import type { K8sArgs } from './k8s-args.ts';
import type { Done, ObjectState } from './object-state.ts';

export interface ObjectResult {
  readonly changed: boolean;
  readonly result: unknown;
  readonly method?: string;
  readonly duration?: number;
  readonly msg?: string;
  readonly warnings?: readonly string[];
  readonly error?: Result;
}

type Hiding = Pick<K8sArgs, 'hidden_fields'>;

/** The result of one object; undefined `done`: nothing was done with it. */
export function resultOf(state: ObjectState, done: Done | undefined, args: Hiding): ObjectResult {
  const { message, warnings } = state;
  const all = done?.warnings ?? warnings;
  return {
    changed: done?.changed ?? false,
    result: hideFields(done?.answer ?? {}, args.hidden_fields),
    ...(done !== undefined && { method: done.method }),
    ...(message !== undefined && { msg: message }),
    ...(all.length > 0 && { warnings: all }),
  };
}

/** What a check run says of an object. */
export function foreseenResult(state: ObjectState, args: Hiding): ObjectResult {
  const { method, forecast, existing, after, answer, warnings } = state;
  if (forecast.kind === 'failure') return failedResult(forecast);
  if (method === undefined) return resultOf(state, undefined, args);
  const changed = forecast.kind === 'change';
  const told = method === 'delete' ? answer : changed ? after : existing;
  return resultOf(state, { method, changed, answer: told ?? {}, warnings }, args);
}

/** The result of an object that failed while the task goes on. */
export function failedResult(error: {
  readonly message: string;
  readonly result: Result;
}): ObjectResult {
  return { changed: false, result: {}, error: { ...error.result, msg: error.message } };
}

/** The members of the task's result: those of the only object, or a list. */
export function taskResult(results: readonly ObjectResult[]): Result {
  const [only, ...others] = results;
  if (only !== undefined && others.length === 0) return { ...only };
  return { changed: results.some(({ changed }) => changed), result: { results } };
}
