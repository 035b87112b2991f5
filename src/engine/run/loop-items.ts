/** The items of a task's loop. */
import { TaskError } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import { notAvailable } from '../playbook/ansible-world.ts';
import { type Dict, isDict, OMIT, type Position, type Value } from '../values.ts';
import { firstFoundItems } from './first-found.ts';
import type { LoopControl } from './loop-control.ts';
import type { TaskTurn } from './task-turn.ts';

/** The items of a task's loop. Throws TemplateError where they are no list. */
export function loopItems(turn: TaskTurn): readonly Value[] {
  const { loop } = turn.task;
  if (loop === undefined) return [];
  if (loop.unavailable !== undefined) {
    const { full, position: place } = loop.unavailable;
    throw new TaskError(notAvailable('lookup', full), { place, isCertain: true });
  }
  if (loop.lookup === 'first_found') return firstFoundItems(turn, loop.value);
  const value = turn.render(loop.value);
  if (value === OMIT) {
    const hint = 'give it an empty list';
    throw new TaskError('a loop cannot be omitted', { hint, place: loop.position });
  }
  return loop.lookup === undefined ? listOf(value, loop.position) : turn.lookup(loop.lookup, value);
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
