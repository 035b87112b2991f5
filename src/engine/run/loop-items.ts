/** The items of a task's loop. */
import { TemplateError } from '../jinja/errors.ts';
import { type Dict, isDict, type Position, type Value } from '../values.ts';
import type { TaskTurn } from './task-turn.ts';

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

/** The rendered `loop_control` of a task. */
export function loopControl(turn: TaskTurn): LoopControl {
  const raw = turn.task.keywords.get('loop_control');
  const control = (raw instanceof Map ? raw : new Map()) as Dict; // Keys of loop_control are text.
  const member = (name: string) => {
    const value = control.get(name);
    return value === undefined || value === null ? undefined : turn.render(value);
  };
  return {
    loopVar: String(member('loop_var') ?? 'item'),
    indexVar: member('index_var') === undefined ? undefined : String(member('index_var')),
    label: control.get('label'),
    pauseMs: Number(member('pause') ?? 0) * 1000,
    extended: member('extended') === true,
    extendedAllItems: member('extended_allitems') !== false,
    breakWhen: control.get('break_when'),
  };
}

/** The items of a task's loop. Throws TemplateError where they are no list. */
export function loopItems(turn: TaskTurn): readonly Value[] {
  const { loop } = turn.task;
  if (loop === undefined) return [];
  if (loop.lookup === undefined) return listOf(turn.render(loop.value), loop.position);
  if (loop.lookup === 'first_found') return turn.lookup('first_found', loop.value).slice(0, 1);
  return turn.lookup(loop.lookup, loop.value);
}

function listOf(value: Value, position: Position): readonly Value[] {
  if (Array.isArray(value)) return value;
  const kind = isDict(value)
    ? 'a dict'
    : typeof value === 'string'
      ? `the text "${value}"`
      : String(value);
  const cure = isDict(value) ? 'use "| dict2items"' : 'put it into a list';
  throw new TemplateError(`loop needs a list, and this is ${kind} (${cure})`, { position });
}

/** Variables of one item: the item itself, its index, and `ansible_loop` when it is asked for. */
export function itemVariables(
  items: readonly Value[],
  index: number,
  control: LoopControl,
): Map<string, Value> {
  const variables = new Map<string, Value>([
    [control.loopVar, items[index] ?? null],
    ['ansible_loop_var', control.loopVar],
  ]);
  if (control.indexVar !== undefined) {
    variables.set(control.indexVar, index);
    variables.set('ansible_index_var', control.indexVar);
  }
  if (control.extended) variables.set('ansible_loop', extendedLoop(items, index, control));
  return variables;
}

function extendedLoop(
  items: readonly Value[],
  index: number,
  { extendedAllItems }: LoopControl,
): Dict {
  const { length } = items;
  const loop = new Map<string, Value>([
    ['index', index + 1],
    ['index0', index],
    ['first', index === 0],
    ['last', index === length - 1],
    ['length', length],
    ['revindex', length - index],
    ['revindex0', length - index - 1],
  ]);
  if (extendedAllItems) loop.set('allitems', items);
  const [previous, next] = [items[index - 1], items[index + 1]];
  if (previous !== undefined) loop.set('previtem', previous);
  if (next !== undefined) loop.set('nextitem', next);
  return loop;
}
