/** How a task reaches its host and as whom: connection, become, environment, check mode. */

import { resolve } from 'node:path';
import { TaskError } from '../../shared/errors.ts';
import type { Become, ConnectionSettings } from '../connection/connection.ts';
import { connectionSettings } from '../inventory/connection-vars.ts';
import { KEYWORDS } from '../playbook/keywords.ts';
import { OMIT, TrustedTemplate, type Value } from '../values.ts';
import { chosenDelegate } from './delegate-layer.ts';
import { environmentOf, type TaskEnvironment } from './task-environment.ts';
import type { TaskTurn } from './task-turn.ts';

export interface TaskSettings extends TaskEnvironment {
  /** Name of the host that is worked on: the task's own, or the one it is delegated to. */
  readonly target: string;
  /** The delegate as output shows it, when the task is delegated. */
  readonly delegate: string | undefined;
  readonly connection: ConnectionSettings;
  readonly become: Become | undefined;
  readonly check: boolean;
  readonly diff: boolean;
  readonly timeoutMs: number | undefined;
}

/** The settings of a task on one host, for one item. */
export function taskSettings(turn: TaskTurn): TaskSettings {
  const { context, host } = turn;
  const { options } = context.run;
  const target = delegateOf(turn) ?? host;
  const { connection, become } = reach(turn, target);
  renderUnread(turn);
  return {
    target,
    delegate: target === host ? undefined : shownDelegate(target, connection),
    connection,
    become,
    ...environmentOf(turn),
    check: turn.flag('check_mode') ?? options.check,
    diff: turn.flag('diff') ?? options.diff,
    timeoutMs: timeoutOf(turn),
  };
}

/** A fault in what a task does not need, such as a user it does not become, fails it too, as with Ansible. */
function renderUnread(turn: TaskTurn): void {
  for (const name of BECOMING) turn.render(turn.inherited.nearest(name) ?? null);
}

const BECOMING = ['become_user', 'become_method', 'become_flags', 'become_exe', 'remote_user'];

/**
 * The host that a task is delegated to: nobody where nothing is written, or `omit`. Throws TaskError for a template
 * that comes to nothing.
 */
function delegateOf(turn: TaskTurn): string | undefined {
  const written = chosenDelegate(turn.scope) ?? turn.inherited.nearest('delegate_to') ?? '';
  const name = written === '' ? OMIT : turn.render(written);
  if (name === OMIT) return undefined;
  if (name === null || name === '') throw wrongDelegate(turn, 'names no host');
  return String(name);
}

function wrongDelegate({ inherited, task }: TaskTurn, problem: string): TaskError {
  const written = inherited.nearest('delegate_to');
  const own = written instanceof TrustedTemplate ? written.position : undefined;
  return new TaskError(`delegate_to ${problem}`, { place: own ?? task.position });
}

/** The delegate of a task that has failed, whatever of it can still be told. */
export function delegateOfFailed(turn: TaskTurn): string | undefined {
  try {
    const target = delegateOf(turn);
    if (target === undefined || target === turn.host) return undefined;
    return shownDelegate(target, reach(turn, target).connection);
  } catch {
    return undefined;
  }
}

/** Timers of Node overflow beyond it: almost 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

const LONGEST_SECONDS = 100_000_000;

/** How long the task may take. Throws TaskError where the keyword asks for what cannot be. */
export function timeoutOf(turn: TaskTurn): number | undefined {
  const seconds = turn.number('timeout') ?? 0;
  if (seconds < 0 || seconds > LONGEST_SECONDS) {
    const range = `it must be between 0 and ${LONGEST_SECONDS}`;
    throw new TaskError(`Timeout ${seconds} is invalid, ${range}.`);
  }
  return seconds === 0 ? undefined : Math.min(seconds * 1000, LONGEST_MS);
}

/** The variables that speak of the connection are those of the host that is reached. */
function reach(turn: TaskTurn, target: string) {
  const { context, host, task } = turn;
  const reached = target === host ? turn : turn.of(target);
  const { connection, become } = connectionSettings({
    name: target,
    variable: (name) => {
      const raw = reached.scope.get(name);
      return raw === undefined ? undefined : reached.render(raw);
    },
    keyword: (name) => typed(turn, name),
    defaults: context.run.options.connection,
    task: task.position,
  });
  if (connection.transport !== 'local') return { connection, become };
  return { connection: { ...connection, directory: resolve(context.play.playbookDir) }, become };
}

function typed(turn: TaskTurn, name: string): Value | undefined {
  const type = KEYWORDS[name]?.type;
  if (type === 'bool') return turn.flag(name);
  return type === 'int' ? turn.number(name) : turn.keyword(name);
}

function shownDelegate(name: string, { address, transport }: ConnectionSettings): string {
  return address === name || transport === 'local' ? name : `${name}(${address})`;
}
