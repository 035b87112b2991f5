/** The functions of formulas on numbers, texts and lists. Those that take a predicate are in predicates.ts. */
import { toDuration } from './durations.ts';
import { type Code, Duration, type Kind, type Value } from './values.ts';

/** A function that formulas may call. A RangeError that it throws tells what is wrong with the values. */
export interface FormulaFunction {
  /** Kinds of the arguments; `any` takes each. */
  readonly takes: readonly (Kind | 'any')[];
  /** How many arguments at the end may be left out. */
  readonly optional?: number;
  /** Takes numbers and lists of numbers, as many as there are, as one list. */
  readonly isVariadic?: true;
  /** Takes as many more of the last kind as there are. */
  readonly isRepeated?: true;
  readonly gives?: Kind;
  /** Of a number: whether it is an integer in expr. */
  readonly isWhole?: boolean;
  /** The result, where the code of the argument tells it. */
  readonly ofCode?: (code: Code) => Value;
  readonly apply: (...values: never[]) => Value;
}

const LONGEST_TEXT = 1_000_000;

export const FUNCTIONS: Readonly<Record<string, FormulaFunction>> = {
  max: variadic((numbers) => best(numbers, Math.max)),
  min: variadic((numbers) => best(numbers, Math.min)),
  mean: {
    ...variadic((numbers) => (numbers.length === 0 ? 0 : total(numbers) / numbers.length)),
    isWhole: false,
  },
  median: { ...variadic(median), isWhole: false },
  abs: ofNumber(Math.abs),
  ceil: { ...ofNumber(Math.ceil), isWhole: false },
  floor: { ...ofNumber(Math.floor), isWhole: false },
  round: {
    ...ofNumber((value) => Math.sign(value) * Math.round(Math.abs(value))),
    isWhole: false,
  },
  int: {
    takes: ['any'],
    gives: 'number',
    isWhole: true,
    apply: (value: Value) => Math.trunc(toNumber(value)),
  },
  float: { takes: ['any'], gives: 'number', isWhole: false, apply: toNumber },
  string: { takes: ['any'], gives: 'string', apply: toText },
  len: { takes: ['any'], gives: 'number', isWhole: true, apply: lengthOf },
  first: ofList((list) => list[0]),
  last: ofList((list) => list.at(-1)),
  reverse: { ...ofList((list) => list.toReversed()), gives: 'list' },
  take: {
    takes: ['list', 'number'],
    gives: 'list',
    apply: (list: readonly Value[], count: number) => list.slice(0, Math.max(0, count)),
  },
  sort: {
    takes: ['list', 'string'],
    optional: 1,
    gives: 'list',
    apply: (list: readonly Value[], order?: string) => sorted(list, (each) => each, order),
  },
  uniq: { ...ofList((list) => [...new Set(list)]), gives: 'list' },
  trim: { takes: ['string', 'string'], optional: 1, gives: 'string', apply: trim },
  upper: ofText((text) => eachCharacter(text, (character) => character.toUpperCase())),
  lower: ofText((text) => eachCharacter(text, (character) => character.toLowerCase())),
  trimPrefix: ofTexts((text, prefix) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  trimSuffix: ofTexts((text, suffix) =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  ),
  hasPrefix: { ...ofTexts((text, prefix) => text.startsWith(prefix)), gives: 'boolean' },
  hasSuffix: { ...ofTexts((text, suffix) => text.endsWith(suffix)), gives: 'boolean' },
  indexOf: {
    ...ofTexts((text, part) => bytesBefore(text, text.indexOf(part))),
    gives: 'number',
    isWhole: true,
  },
  lastIndexOf: {
    ...ofTexts((text, part) => bytesBefore(text, text.lastIndexOf(part))),
    gives: 'number',
    isWhole: true,
  },
  split: { takes: ['string', 'string', 'number'], optional: 1, gives: 'list', apply: split },
  replace: {
    takes: ['string', 'string', 'string', 'number'],
    optional: 1,
    gives: 'string',
    apply: replace,
  },
  repeat: { takes: ['string', 'number'], gives: 'string', apply: repeat },
  duration: { takes: ['string'], gives: 'duration', apply: toDuration },
  join: {
    takes: ['list', 'string'],
    optional: 1,
    gives: 'string',
    apply: (list: readonly Value[], separator = '') => list.map(toText).join(separator),
  },
};

/** Without the blanks, or the given characters, at both ends. */
function trim(text: string, characters?: string): string {
  if (characters === undefined) return text.trim();
  const all = [...text];
  const first = all.findIndex((each) => !characters.includes(each));
  const last = all.findLastIndex((each) => !characters.includes(each));
  return first < 0 ? '' : all.slice(first, last + 1).join('');
}

/** A character that would become several stays as it is. */
function eachCharacter(text: string, change: (character: string) => string): string {
  const changed = (character: string) => {
    const other = change(character);
    return [...other].length === 1 ? other : character;
  };
  return [...text].map(changed).join('');
}

/** Positions in texts are those of their bytes. */
function bytesBefore(text: string, index: number): number {
  return index < 0 ? index : Buffer.byteLength(text.slice(0, index));
}

/** Into so many parts at most; below 0, all. */
function split(text: string, separator: string, most = -1): readonly string[] {
  const parts = text.split(separator);
  if (most < 0 || parts.length <= most) return parts;
  return most === 0 ? [] : [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

/** The first so many, or all below 0. */
function replace(text: string, from: string, to: string, most = -1): string {
  const places = from === '' ? [...text].length + 1 : text.split(from).length - 1;
  const count = most < 0 ? places : Math.min(most, places);
  requireSize(text.length + count * to.length);
  let left = count;
  return text.replaceAll(from, (found) => {
    left -= 1;
    return left >= 0 ? to : found;
  });
}

function repeat(text: string, count: number): string {
  if (!Number.isInteger(count) || count < 0) throw new RangeError('a whole number is needed');
  requireSize(text.length * count);
  return text.repeat(count);
}

function requireSize(length: number): void {
  if (length > LONGEST_TEXT) throw new RangeError('the text becomes too long');
}

/** In ascending order, or in descending with `desc`. Throws RangeError. */
export function sorted(
  list: readonly Value[],
  keyOf: (element: Value, index: number) => Value,
  order = 'asc',
): readonly Value[] {
  if (order !== 'asc' && order !== 'desc') {
    throw new RangeError(`the order must be "asc" or "desc" and not "${order}"`);
  }
  const sign = order === 'asc' ? 1 : -1;
  const pairs = list.map((element, index) => [keyOf(element, index), element] as const);
  return pairs.sort(([a], [b]) => sign * compare(a, b)).map(([, element]) => element);
}

export function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function variadic(apply: (numbers: readonly number[]) => number): FormulaFunction {
  return { takes: [], isVariadic: true, gives: 'number', apply };
}

function ofNumber(apply: (value: number) => number): FormulaFunction {
  return { takes: ['number'], gives: 'number', apply };
}

function ofText(apply: (text: string) => string): FormulaFunction {
  return { takes: ['string'], gives: 'string', apply };
}

function ofTexts(apply: (text: string, other: string) => Value): FormulaFunction {
  return { takes: ['string', 'string'], gives: 'string', apply };
}

function ofList(apply: (list: readonly Value[]) => Value): FormulaFunction {
  return { takes: ['list'], apply };
}

function best(numbers: readonly number[], choose: (a: number, b: number) => number): number {
  if (numbers.length === 0) throw new RangeError('there is no number to choose from');
  return numbers.reduce((chosen, each) => choose(chosen, each));
}

function median(numbers: readonly number[]): number {
  const ordered = numbers.toSorted((a, b) => a - b);
  const middle = ordered.length / 2;
  const [low, high] = [ordered[Math.ceil(middle) - 1] ?? 0, ordered[Math.floor(middle)] ?? 0];
  return (low + high) / 2;
}

function toNumber(value: Value): number {
  if (value instanceof Duration) return value.nanoseconds;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  throw new RangeError(`${describe(value)} is no number`);
}

function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object') throw new RangeError('only plain values can be made a text');
  return value === undefined ? '<nil>' : String(value);
}

function describe(value: Value): string {
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Map) return 'a map';
  if (value instanceof Duration) return 'a duration';
  return typeof value === 'string' ? `"${value}"` : toText(value);
}

function lengthOf(value: Value): number {
  if (Array.isArray(value)) return value.length;
  if (value instanceof Map) return value.size;
  if (typeof value === 'string') return [...value].length;
  throw new RangeError(`${describe(value)} has no length`);
}

function compare(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  throw new RangeError('only numbers, or only texts, can be sorted');
}
