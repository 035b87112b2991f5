import { Float, type Omit, Timestamp, type TrustedTemplate, type VaultText } from '../values.ts';
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
export function equals(a: Val, b: Val): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a === b;
  if (a instanceof Undefined || b instanceof Undefined) return equalUndefined(a, b);
  return a === b || equalValues(a, b);
}

/** What an inline `if` without `else` leaves equals only its like; other undefined values fail. */
function equalUndefined(a: Val, b: Val): boolean {
  if (a instanceof EmptyUndefined) return b instanceof EmptyUndefined;
  if (a instanceof Undefined) a.fail();
  if (b instanceof Undefined && !(b instanceof EmptyUndefined)) b.fail();
  return false;
}

function equalValues(a: Val, b: Val): boolean {
  if (isNumber(a)) return isNumber(b) && equalNumbers(a, b);
  if (isText(a)) return isText(b) && textOf(a) === textOf(b);
  if (isList(a)) return isList(b) && equalLists(a, b);
  return isMap(a) ? isMap(b) && equalMaps(a, b) : equalObjects(a, b);
}

type Num = number | bigint | boolean | Float;

function equalNumbers(a: Num, b: Num): boolean {
  return compareNumbers(a, b) === 0;
}

function equalLists(a: readonly Val[], b: readonly Val[]): boolean {
  if (a instanceof Tuple !== b instanceof Tuple || a.length !== b.length) return false;
  return a.every((item, index) => equals(item, b[index] ?? null));
}

function equalMaps(a: ValMap, b: ValMap): boolean {
  if (a.size !== b.size) return false;
  for (const [key, member] of a) {
    const other = mapGet(b, key);
    if (other === undefined || !equals(member, other)) return false;
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
  for (let i = 0; i < a.length && i < b.length; i++) {
    const left = a[i] ?? null;
    const right = b[i] ?? null;
    if (!equals(left, right)) return order(left, right, operator);
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
  const wanted = hashKey(key);
  for (const candidate of map.keys()) {
    if (typeof candidate !== 'string' && hashKey(candidate) === wanted) return { key: candidate };
  }
  return undefined;
}

/** A text that is the same for equal values and differs for others; lists and dicts have one too. */
export function hashKey(value: Val): string {
  if (typeof value === 'string') return `s${value}`;
  if (value instanceof Undefined) value.fail();
  if (isNumber(value)) return `n${numberKey(value)}`;
  if (value instanceof Markup) return `s${value.value}`;
  if (isList(value)) return `${value instanceof Tuple ? 't' : 'l'}${joinKeys(value)}`;
  if (isMap(value))
    return `d${joinKeys([...value].map(([key, member]) => [key, member]).sort(byKey))}`;
  if (value instanceof Timestamp) return `m${value.text}`;
  if (value instanceof Comparable) return `${value.typeName}${value.sortKey()}`;
  return value instanceof PyObject ? objectKey(value) : 'none';
}

function numberKey(value: Num): string {
  if (typeof value === 'bigint') return String(value);
  const plain = toNumber(value);
  return Number.isInteger(plain) ? String(BigInt(plain)) : String(plain);
}

function joinKeys(values: readonly Val[]): string {
  return JSON.stringify(values.map(hashKey));
}

function byKey(a: readonly Val[], b: readonly Val[]): number {
  return compareText(hashKey(a[0] ?? null), hashKey(b[0] ?? null));
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
export function requireHashable(value: Val): void {
  if (value instanceof Undefined) value.fail();
  if (value instanceof Tuple) {
    value.forEach(requireHashable);
    return;
  }
  if (isList(value) || isMap(value))
    throw new TemplateError(`unhashable type: '${typeName(value)}'`);
}
