import { OMIT, Omit, Timestamp, type Value } from '../values.ts';
import { TemplateError } from './errors.ts';
import { DateTime } from './moments.ts';
import {
  isList,
  isMap,
  isPlainMap,
  Markup,
  PyObject,
  typeName,
  Undefined,
  type Val,
  type ValMap,
} from './objects.ts';
import { textOf } from './text.ts';

/** Containers nested deeper than this are refused. */
const MAX_NESTING = 500;

/**
 * The value of a template: nothing gives None, one node keeps its type, several become text in which None
 * is empty. The value may be undefined.
 */
export function joinNodes(nodes: readonly Val[]): Val {
  const present = nodes.filter((node) => node !== null);
  const [only] = present;
  if (only === undefined) return null;
  return present.length === 1 ? only : present.map(printed).join('');
}

/** A node as it prints beside others. */
export function printed(node: Val): string {
  if (typeof node === 'string') return node;
  if (node instanceof Omit) return '';
  return isList(node) || isMap(node) ? textOf(normalize(node, 0)) : textOf(node);
}

/** A plain value of what an expression gave. Throws on undefined and on what is no plain value. */
export function finalize(value: Val): Value {
  return normalize(value, 0, plainContainers);
}

// Containers that have left an evaluation as they are. From then on nobody changes them.
const plainContainers = new WeakSet<object>();

function normalize(value: Val, nesting: number, known?: WeakSet<object>): Value {
  if (value === null || typeof value !== 'object') return value;
  if (nesting > MAX_NESTING) throw new TemplateError('the value is nested too deeply');
  if (!isList(value) && !isMap(value))
    return value instanceof PyObject ? plainObject(value) : value;
  if (known?.has(value)) return value as Value; // Its normal form was itself.
  const plain = isList(value)
    ? normalizeList(value, nesting, known)
    : normalizeMap(value, nesting, known);
  if (plain === value) known?.add(value);
  return plain;
}

function plainObject(value: PyObject): Value {
  if (value instanceof Undefined) value.fail();
  if (value instanceof Markup) return value.value;
  if (value instanceof DateTime) return new Timestamp(value.text(), false);
  throw new TemplateError(`a value of type '${typeName(value)}' cannot leave a template`);
}

function normalizeList(list: readonly Val[], nesting: number, known?: WeakSet<object>): Value {
  let copy: Value[] | undefined = list.constructor === Array ? undefined : [];
  for (let i = 0; i < list.length; i++) {
    const item = list[i] ?? null;
    const plain = normalize(item, nesting + 1, known);
    // Everything before is plain: it was equal to its normal form.
    if (plain !== item || plain === OMIT) copy ??= list.slice(0, i) as Value[];
    if (plain !== OMIT) copy?.push(plain);
  }
  return copy ?? (list as readonly Value[]); // No member differed from its normal form.
}

function normalizeMap(map: ValMap, nesting: number, known?: WeakSet<object>): Value {
  const isPlain = isPlainMap(map) && [...map].every((member) => isNormal(member, nesting, known));
  if (isPlain) return map as ReadonlyMap<Value, Value>; // No member differs from its normal form.
  const copy = new Map<Value, Value>();
  for (const [key, member] of map) {
    const plain = normalize(member, nesting + 1, known);
    if (plain !== OMIT) copy.set(normalize(key, nesting + 1, known), plain);
  }
  return copy;
}

function isNormal(
  [key, member]: readonly [Val, Val],
  nesting: number,
  known?: WeakSet<object>,
): boolean {
  if (member === OMIT || normalize(member, nesting + 1, known) !== member) return false;
  return typeof key === 'string' || normalize(key, nesting + 1, known) === key;
}
