/** Judges a module's result: changed_when, failed_when, and the handlers that it notifies. */
import type { Dict, Value } from '../values.ts';
import { isTrue, type Outcome, withMembers } from './outcome.ts';
import type { TaskTurn } from './task-turn.ts';

/** The outcome after the task's own conditions. A condition that cannot be evaluated fails the task. */
export function judge(turn: TaskTurn, outcome: Outcome): Outcome {
  if (isTrue(outcome.result, 'skipped') || isTrue(outcome.result, 'unreachable')) return outcome;
  const changed = applyChangedWhen(turn, outcome);
  const judged = applyFailedWhen(turn, changed);
  const notifies = isTrue(judged.result, 'changed') && !isTrue(judged.result, 'failed');
  return notifies ? { ...judged, notify: turn.texts('notify') } : judged;
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

function applyChangedWhen(turn: TaskTurn, outcome: Outcome): Outcome {
  const conditions = conditionsOf(turn, 'changed_when');
  if (conditions === undefined) return outcome;
  const changed = holds(turn, conditions, outcome);
  return { ...outcome, result: withMembers(outcome.result, { changed }) };
}

function applyFailedWhen(turn: TaskTurn, outcome: Outcome): Outcome {
  const conditions = conditionsOf(turn, 'failed_when');
  if (conditions === undefined) return outcome;
  const failed = holds(turn, conditions, outcome);
  const members = { failed, failed_when_result: failed };
  return { ...outcome, result: withMembers(outcome.result, members) };
}
