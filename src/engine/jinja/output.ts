import { OMIT, Omit, Timestamp, type Value } from '../values.ts';
import { TemplateError } from './errors.ts';
import { DateTime } from './moments.ts';
import {
  isList,
  isMap,
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
  return normalize(value, 0);
}

function normalize(value: Val, nesting: number): Value {
  if (value === null || typeof value !== 'object') return value;
  if (nesting > MAX_NESTING) throw new TemplateError('the value is nested too deeply');
  if (isList(value)) return normalizeList(value, nesting);
  if (isMap(value)) return normalizeMap(value, nesting);
  return value instanceof PyObject ? plainObject(value) : value;
}

function plainObject(value: PyObject): Value {
  if (value instanceof Undefined) value.fail();
  if (value instanceof Markup) return value.value;
  if (value instanceof DateTime) return new Timestamp(value.text(), false);
  throw new TemplateError(`a value of type '${typeName(value)}' cannot leave a template`);
}

function normalizeList(list: readonly Val[], nesting: number): Value {
  let copy: Value[] | undefined = list.constructor === Array ? undefined : [];
  for (let i = 0; i < list.length; i++) {
    const item = list[i] ?? null;
    const plain = normalize(item, nesting + 1);
    // Everything before is plain: it was equal to its normal form.
    if (plain !== item || plain === OMIT) copy ??= list.slice(0, i) as Value[];
    if (plain !== OMIT) copy?.push(plain);
  }
  return copy ?? (list as readonly Value[]); // No member differed from its normal form.
}

function normalizeMap(map: ValMap, nesting: number): Value {
  let changed = map.constructor !== Map;
  const copy = new Map<Value, Value>();
  for (const [key, member] of map) {
    const plainKey = normalize(key, nesting + 1);
    const plain = normalize(member, nesting + 1);
    if (plain === OMIT || plain !== member || plainKey !== key) changed = true;
    if (plain !== OMIT) copy.set(plainKey, plain);
  }
  return changed ? copy : (map as ReadonlyMap<Value, Value>); // No member differed from its normal form.
}
