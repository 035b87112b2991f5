/** Judges a module's result: changed_when, failed_when, and the handlers that it notifies. */
import type { Dict, Value } from '../values.ts';
import type { Status } from './events.ts';
import { exceptionOf, failureOf, isTrue, type Outcome, statusOf, withMembers } from './outcome.ts';
import type { TaskTurn } from './task-turn.ts';

/** The outcome after the task's own conditions. A condition that cannot be evaluated fails the task. */
export function judge(turn: TaskTurn, outcome: Outcome): Outcome {
  if (isTrue(outcome.result, 'skipped') || isTrue(outcome.result, 'unreachable')) return outcome;
  const changed = judgedBy(turn, outcome, 'changed_when', (result) => ({ changed: result }));
  const exception = exceptionOf(changed.result);
  const suppressed = exception === undefined ? {} : { failed_when_suppressed_exception: exception };
  const judged = changed.result.has('changed_when_result')
    ? changed
    : judgedBy(turn, changed, 'failed_when', (failed) => ({
        failed,
        failed_when_result: failed,
        ...(!failed && suppressed),
      }));
  const notifies = isTrue(judged.result, 'changed') && !isTrue(judged.result, 'failed');
  return notifies ? { ...judged, notify: turn.texts('notify') } : judged;
}

const IGNORING: Partial<Record<Status, string>> = {
  failed: 'ignore_errors',
  unreachable: 'ignore_unreachable',
};

/** The outcome of a task or one of its items with the decision whether the host goes on after a failure. */
export function withIgnored(turn: TaskTurn, outcome: Outcome): Outcome {
  const keyword = IGNORING[statusOf(outcome.result)];
  if (keyword === undefined) return outcome;
  try {
    return { ...outcome, ignored: turn.flag(keyword) === true };
  } catch {
    return outcome; // The task has failed already.
  }
}

function conditionsOf(turn: TaskTurn, keyword: string): Value | undefined {
  const value = turn.task.keywords.get(keyword);
  return value === null || (Array.isArray(value) && value.length === 0) ? undefined : value;
}

/** The result under the name it is registered as, for the conditions that judge it. */
export function registered(turn: TaskTurn, result: Dict): Dict {
  const name = turn.task.keywords.get('register');
  return typeof name === 'string' ? new Map([[name, result as Value]]) : new Map();
}

function holds(turn: TaskTurn, conditions: Value, outcome: Outcome): boolean {
  return turn.with(registered(turn, outcome.result)).condition(conditions).result;
}

type Judged = Readonly<Record<string, Value>>;

/** What a verdict adds to the result; one that cannot be reached leaves the result and fails the task. */
function judgedBy(
  turn: TaskTurn,
  outcome: Outcome,
  keyword: 'changed_when' | 'failed_when',
  members: (result: boolean) => Judged,
): Outcome {
  const conditions = conditionsOf(turn, keyword);
  if (conditions === undefined) return outcome;
  const { result } = outcome;
  try {
    const added = members(holds(turn, conditions, outcome));
    return { ...outcome, result: withMembers(result, added) };
  } catch (error) {
    const why = failureOf(error).result.get('msg') ?? null;
    const added = { failed: true, [`${keyword}_result`]: why };
    return { ...outcome, result: withMembers(result, added) };
  }
}
