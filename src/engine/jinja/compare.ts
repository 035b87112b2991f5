import { Float, type Omit, Timestamp, type TrustedTemplate, type VaultText } from '../values.ts';
import { Budget } from './budget.ts';
import { TemplateError } from './errors.ts';
import { isNumber, toNumber } from './numbers.ts';
import {
  EmptyUndefined,
  isList,
  isMap,
  isText,
  Markup,
  PyObject,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Val,
  type ValMap,
} from './objects.ts';
import { compareText, textOf } from './text.ts';

/** Python's `==`. Throws on an undefined operand. */
export function equals(a: Val, b: Val, budget?: Budget): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a === b;
  if (a instanceof Undefined || b instanceof Undefined) return equalUndefined(a, b);
  return a === b || equalValues(a, b, budget);
}

/** What an inline `if` without `else` leaves equals only its like; other undefined values fail. */
function equalUndefined(a: Val, b: Val): boolean {
  if (a instanceof EmptyUndefined) return b instanceof EmptyUndefined;
  if (a instanceof Undefined) a.fail();
  if (b instanceof Undefined && !(b instanceof EmptyUndefined)) b.fail();
  return false;
}

function equalValues(a: Val, b: Val, budget?: Budget): boolean {
  if (isNumber(a)) return isNumber(b) && equalNumbers(a, b);
  if (isText(a)) return isText(b) && textOf(a) === textOf(b);
  if (isList(a)) return isList(b) && equalLists(a, b, budget ?? new Budget());
  if (isMap(a)) return isMap(b) && equalMaps(a, b, budget ?? new Budget());
  return equalObjects(a, b);
}

type Num = number | bigint | boolean | Float;

function equalNumbers(a: Num, b: Num): boolean {
  return compareNumbers(a, b) === 0;
}

function equalLists(a: readonly Val[], b: readonly Val[], budget: Budget): boolean {
  if (a instanceof Tuple !== b instanceof Tuple || a.length !== b.length) return false;
  budget.visit(a.length);
  return a.every((item, index) => equals(item, b[index] ?? null, budget));
}

function equalMaps(a: ValMap, b: ValMap, budget: Budget): boolean {
  if (a.size !== b.size) return false;
  budget.visit(a.size);
  for (const [key, member] of a) {
    const other = mapGet(b, key);
    if (other === undefined || !equals(member, other, budget)) return false;
  }
  return true;
}

function equalObjects(a: Val, b: Val): boolean {
  if (a instanceof Timestamp && b instanceof Timestamp) return a.text === b.text;
  if (a instanceof Range && b instanceof Range) {
    return a.length === b.length && a.start === b.start && a.step === b.step;
  }
  if (a instanceof Comparable && b instanceof Comparable) return a.sortKey() === b.sortKey();
  return false;
}

/** An object of the evaluator that has an order, e.g. a moment. Different types never compare. */
export abstract class Comparable extends PyObject {
  abstract sortKey(): number;
}

/** The sign of a - b. NaN is given as NaN. */
export function compareNumbers(a: Num, b: Num): number {
  if (typeof a === 'bigint' || typeof b === 'bigint') return compareExactly(a, b);
  const difference = toNumber(a) - toNumber(b);
  if (Number.isNaN(difference)) return toNumber(a) === toNumber(b) ? 0 : Number.NaN;
  return Math.sign(difference);
}

/** JavaScript compares bigint with number by exact value, as Python does. */
function compareExactly(a: Num, b: Num): number {
  const left = a instanceof Float ? a.value : a;
  const right = b instanceof Float ? b.value : b;
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

/** The order of two values for `<` and sorting. Throws TemplateError where Python gives them none. */
export function order(a: Val, b: Val, operator = '<'): number {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (isText(a) && isText(b)) return compareText(textOf(a), textOf(b));
  refuseUndefined(a, b);
  const found = isList(a) && isList(b) ? orderSequences(a, b, operator) : orderMoments(a, b);
  if (found !== undefined) return found;
  throw new TemplateError(
    `'${operator}' is not supported between instances of '${typeName(a)}' and '${typeName(b)}'`,
  );
}

function refuseUndefined(...values: readonly Val[]): void {
  for (const value of values) if (value instanceof Undefined) value.fail();
}

function orderMoments(a: Val, b: Val): number | undefined {
  if (a instanceof Timestamp && b instanceof Timestamp && a.isDate === b.isDate) {
    return compareText(a.text, b.text);
  }
  if (!(a instanceof Comparable && b instanceof Comparable)) return undefined;
  return a.typeName === b.typeName ? Math.sign(a.sortKey() - b.sortKey()) : undefined;
}

function orderSequences(
  a: readonly Val[],
  b: readonly Val[],
  operator: string,
): number | undefined {
  return a instanceof Tuple === b instanceof Tuple ? orderLists(a, b, operator) : undefined;
}

function orderLists(a: readonly Val[], b: readonly Val[], operator: string): number {
  const budget = new Budget();
  for (let i = 0; i < a.length && i < b.length; i++) {
    budget.visit();
    const left = a[i] ?? null;
    const right = b[i] ?? null;
    if (!equals(left, right, budget)) return order(left, right, operator);
  }
  return Math.sign(a.length - b.length);
}

/** Python's truth of a value. Throws on an undefined one. */
export function truthy(value: Val): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null || value === '' || value === 0) return false;
  if (typeof value !== 'object') return value !== 0n;
  if (isList(value)) return value.length > 0;
  if (isMap(value)) return value.size > 0;
  return truthyObject(value);
}

function truthyObject(value: PyObject | Float | Timestamp | Omit | TrustedTemplate | VaultText) {
  if (value instanceof Undefined) return value.text() === '' ? false : value.fail();
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Markup) return value.value !== '';
  if (value instanceof Range) return value.length > 0;
  return true;
}

/** The member of a dict under a key that is equal in Python's eyes (1, 1.0 and True are one key). */
export function mapGet(map: ValMap, key: Val): Val | undefined {
  const direct = map.get(key);
  if (direct !== undefined || typeof key === 'string') return direct;
  if (map.has(key)) return direct;
  const found = equalKey(map, key);
  return found === undefined ? undefined : map.get(found.key);
}

/** The key of the dict that equals the given one, boxed, or undefined. */
export function equalKey(map: ValMap, key: Val): { readonly key: Val } | undefined {
  if (map.has(key)) return { key };
  if (typeof key === 'string' || key === null) return undefined;
  const found = keysOf(map).byHash.get(hashKey(key));
  return found === undefined || !map.has(found) ? undefined : { key: found };
}

/** Stores a member under the key that is equal in Python's eyes, else under the new one. */
export function storeMember(map: Map<Val, Val>, key: Val, value: Val): void {
  requireHashable(key);
  const known = equalKey(map, key)?.key;
  map.set(known ?? key, value);
  const keys = keyIndexes.get(map);
  if (keys === undefined || known !== undefined) return;
  keys.size += 1;
  if (typeof key !== 'string') keys.byHash.set(hashKey(key), key);
}

/** The keys of a dict that are no texts, as they were when it had `size` members. */
interface KeyIndex {
  size: number;
  readonly byHash: Map<string, Val>;
}

const keyIndexes = new WeakMap<ValMap, KeyIndex>();

function keysOf(map: ValMap): KeyIndex {
  const known = keyIndexes.get(map);
  if (known?.size === map.size) return known;
  const keys = [...map.keys()].filter((key) => typeof key !== 'string');
  const byHash = new Map(keys.map((key) => [hashKey(key), key]));
  const index = { size: map.size, byHash };
  keyIndexes.set(map, index);
  return index;
}

/** A text that is the same for equal values and differs for others; lists and dicts have one too. */
export function hashKey(value: Val, budget?: Budget): string {
  if (typeof value === 'string') return `s${value}`;
  if (value instanceof Undefined) value.fail();
  if (isNumber(value)) return `n${numberKey(value)}`;
  if (value instanceof Markup) return `s${value.value}`;
  if (isList(value)) return listKey(value, budget ?? new Budget());
  if (isMap(value)) return mapKey(value, budget ?? new Budget());
  return otherKey(value);
}

function otherKey(value: Val): string {
  if (value instanceof Timestamp) return `m${value.text}`;
  if (value instanceof Comparable) return `${value.typeName}${value.sortKey()}`;
  return value instanceof PyObject ? objectKey(value) : 'none';
}

function numberKey(value: Num): string {
  if (typeof value === 'bigint') return String(value);
  const plain = toNumber(value);
  return Number.isInteger(plain) ? String(BigInt(plain)) : String(plain);
}

function listKey(list: readonly Val[], budget: Budget): string {
  budget.visit(list.length);
  const kind = list instanceof Tuple ? 't' : 'l';
  return kind + joinKeys(list.map((item) => hashKey(item, budget)));
}

function mapKey(map: ValMap, budget: Budget): string {
  budget.visit(map.size);
  const keys = [...map].map(([key, member]) =>
    joinKeys([hashKey(key, budget), hashKey(member, budget)]),
  );
  return `d${joinKeys(keys.sort())}`;
}

/** Lengths tell where each key ends, so that different keys never join to the same text. */
function joinKeys(keys: readonly string[]): string {
  return keys.map((key) => `${key.length}:${key}`).join('');
}

const identities = new WeakMap<PyObject, string>();
let lastIdentity = 0;

function objectKey(value: PyObject): string {
  const known = identities.get(value);
  if (known !== undefined) return known;
  lastIdentity += 1;
  const identity = `o${lastIdentity}`;
  identities.set(value, identity);
  return identity;
}

/** Throws TemplateError where Python could not hash the value (a list, a dict). */
export function requireHashable(value: Val, budget = new Budget()): void {
  if (value instanceof Undefined) value.fail();
  if (value instanceof Tuple) {
    budget.visit(value.length);
    for (const item of value) requireHashable(item, budget);
    return;
  }
  if (isList(value) || isMap(value))
    throw new TemplateError(`unhashable type: '${typeName(value)}'`);
}
