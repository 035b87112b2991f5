/** How a task reaches its host and as whom: connection, become, environment, check mode. */

import { TaskError } from '../../shared/errors.ts';
import type { Become, ConnectionSettings } from '../connection/connection.ts';
import { connectionSettings } from '../inventory/connection-vars.ts';
import { isDict, OMIT, type Value } from '../values.ts';
import type { TaskTurn } from './task-turn.ts';

export interface TaskSettings {
  /** Name of the host that is worked on: the task's own, or the one it is delegated to. */
  readonly target: string;
  /** The delegate as output shows it, when the task is delegated. */
  readonly delegate: string | undefined;
  readonly connection: ConnectionSettings;
  readonly become: Become | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly check: boolean;
  readonly diff: boolean;
  readonly timeoutMs: number | undefined;
}

/** The settings of a task on one host, for one item. */
export function taskSettings(turn: TaskTurn): TaskSettings {
  const { context, host } = turn;
  const { options } = context.run;
  const delegateTo = turn.text('delegate_to');
  const target = delegateTo ?? host;
  const { connection, become } = reach(turn, target);
  return {
    target,
    delegate: delegateTo === undefined ? undefined : shownDelegate(delegateTo, connection),
    connection,
    become,
    environment: environmentOf(turn),
    check: turn.flag('check_mode') ?? options.check,
    diff: turn.flag('diff') ?? options.diff,
    timeoutMs: timeoutOf(turn),
  };
}

/** Timers of Node overflow beyond it: almost 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** How long the task may take. */
export function timeoutOf(turn: TaskTurn): number | undefined {
  const seconds = turn.number('timeout') ?? 0;
  return seconds <= 0 ? undefined : Math.min(seconds * 1000, LONGEST_MS);
}

/** The variables that speak of the connection are those of the host that is reached. */
function reach(turn: TaskTurn, target: string) {
  const { context, host, task } = turn;
  const reached = target === host ? turn : turn.of(target);
  return connectionSettings({
    name: target,
    variable: (name) => {
      const raw = reached.scope.get(name);
      return raw === undefined ? undefined : reached.render(raw);
    },
    keyword: (name) => turn.keyword(name),
    defaults: context.run.options.connection,
    task: task.position,
  });
}

function shownDelegate(name: string, { address, transport }: ConnectionSettings): string {
  return address === name || transport === 'local' ? name : `${name}(${address})`;
}

function environmentOf(turn: TaskTurn): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const entry of turn.inherited.environment) {
    const rendered = turn.render(entry);
    if (rendered === OMIT) continue;
    for (const each of Array.isArray(rendered) ? rendered : [rendered]) addVariables(merged, each);
  }
  return merged;
}

function addVariables(into: Record<string, string>, value: Value): void {
  if (!isDict(value)) throw new TaskError('environment is not a mapping of names to texts');
  for (const [name, text] of value) into[String(name)] = text === null ? '' : pythonText(text);
}

function pythonText(value: Value): string {
  if (value === true) return 'True';
  return value === false ? 'False' : String(value);
}
