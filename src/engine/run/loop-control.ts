/** What `loop_control` of a task says. */
import { TaskError } from '../../shared/errors.ts';
import { isVariableName, VARIABLE_NAME_RULE } from '../../shared/variable-name.ts';
import { asBoolean } from '../to-boolean.ts';
import { type Dict, OMIT, type Position, TrustedTemplate, type Value } from '../values.ts';
import { asNumber, type TaskTurn } from './task-turn.ts';

/** How a loop names and spaces its items. */
export interface LoopControl {
  readonly loopVar: string;
  readonly indexVar: string | undefined;
  readonly label: Value | undefined;
  readonly pauseMs: number;
  readonly extended: boolean;
  readonly extendedAllItems: boolean;
  readonly breakWhen: Value | undefined;
}

/** The rendered `loop_control` of a task. Throws TaskError for a member that makes no sense. */
export function loopControl(turn: TaskTurn): LoopControl {
  const members = new Members(turn);
  return {
    loopVar: members.loopVar(),
    indexVar: members.indexVar(),
    label: members.written('label'),
    pauseMs: members.number('pause') * 1000,
    extended: members.flag('extended', false),
    extendedAllItems: members.flag('extended_allitems', true),
    breakWhen: members.written('break_when') || undefined,
  };
}

class Members {
  readonly #turn: TaskTurn;
  readonly #control: Dict;

  constructor(turn: TaskTurn) {
    this.#turn = turn;
    const raw = turn.task.keywords.get('loop_control');
    this.#control = (raw instanceof Map ? raw : new Map()) as Dict; // Keys of loop_control are text.
  }

  written(name: string): Value | undefined {
    return this.#control.get(name) ?? undefined;
  }

  /** The rendered value, null where it is written so; undefined where the member is absent or omitted. */
  #rendered(name: string): Value | undefined {
    const written = this.#control.get(name);
    const value = written === undefined || written === null ? written : this.#turn.render(written);
    return value === OMIT ? undefined : value;
  }

  loopVar(): string {
    const value = this.#rendered('loop_var');
    if (value === undefined) return 'item';
    if (typeof value === 'string' && isVariableName(value)) return value;
    const place = this.#placeOf('loop_var');
    throw new TaskError(`Invalid variable name '${shown(value)}'.`, {
      hint: VARIABLE_NAME_RULE,
      place,
    });
  }

  indexVar(): string | undefined {
    const value = this.#rendered('index_var') ?? '';
    return value === '' ? undefined : String(value);
  }

  number(name: string): number {
    const value = this.#rendered(name) ?? 0;
    const number = asNumber(value);
    if (number === undefined) throw this.#wrong(name, value, 'a number');
    return number;
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.#rendered(name);
    if (value === undefined) return otherwise;
    const flag = value === null ? false : asBoolean(value);
    if (flag === undefined) throw this.#wrong(name, value, 'true or false');
    return flag;
  }

  #wrong(name: string, value: Value, wanted: string): TaskError {
    const message = `${name} of loop_control is ${wanted}, not "${shown(value)}"`;
    return new TaskError(message, { place: this.#placeOf(name) });
  }

  #placeOf(name: string): Position {
    const written = this.#control.get(name);
    const own = written instanceof TrustedTemplate ? written.position : undefined;
    return own ?? this.#turn.task.position;
  }
}

function shown(value: Value): string {
  if (value === null || typeof value !== 'object') return String(value);
  return Array.isArray(value) ? 'a list' : 'a mapping';
}
