/** The functions of formulas that take values. Those that take a predicate are in predicates.ts. */
import type { Kind, Value } from './values.ts';

/** A function that formulas may call. A RangeError that it throws tells what is wrong with the values. */
export interface FormulaFunction {
  /** Kinds of the arguments; `any` takes each. */
  readonly takes: readonly (Kind | 'any')[];
  /** How many arguments at the end may be left out. */
  readonly optional?: number;
  /** Takes numbers and lists of numbers, as many as there are, as one list. */
  readonly isVariadic?: true;
  readonly gives?: Kind;
  readonly apply: (...values: never[]) => Value;
}

export const FUNCTIONS: Readonly<Record<string, FormulaFunction>> = {
  max: variadic((numbers) => best(numbers, Math.max)),
  min: variadic((numbers) => best(numbers, Math.min)),
  mean: variadic((numbers) => (numbers.length === 0 ? 0 : total(numbers) / numbers.length)),
  median: variadic(median),
  abs: ofNumber(Math.abs),
  ceil: ofNumber(Math.ceil),
  floor: ofNumber(Math.floor),
  round: ofNumber((value) => Math.sign(value) * Math.round(Math.abs(value))),
  int: { takes: ['any'], gives: 'number', apply: (value: Value) => Math.trunc(toNumber(value)) },
  float: { takes: ['any'], gives: 'number', apply: toNumber },
  string: { takes: ['any'], gives: 'string', apply: toText },
  len: { takes: ['any'], gives: 'number', apply: lengthOf },
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
  trim: ofText((text) => text.trim()),
  upper: ofText((text) => text.toUpperCase()),
  lower: ofText((text) => text.toLowerCase()),
  trimPrefix: ofTexts((text, prefix) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  trimSuffix: ofTexts((text, suffix) =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  ),
  hasPrefix: { ...ofTexts((text, prefix) => text.startsWith(prefix)), gives: 'boolean' },
  hasSuffix: { ...ofTexts((text, suffix) => text.endsWith(suffix)), gives: 'boolean' },
  indexOf: { ...ofTexts((text, part) => text.indexOf(part)), gives: 'number' },
  lastIndexOf: { ...ofTexts((text, part) => text.lastIndexOf(part)), gives: 'number' },
  split: { ...ofTexts((text, separator) => text.split(separator)), gives: 'list' },
  join: {
    takes: ['list', 'string'],
    optional: 1,
    gives: 'string',
    apply: (list: readonly Value[], separator = '') => list.map(toText).join(separator),
  },
};

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
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  throw new RangeError(`${describe(value)} is no number`);
}

function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) throw new RangeError('a list cannot be made a text');
  return value === undefined ? '<nil>' : String(value);
}

function describe(value: Value): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? `"${value}"` : toText(value);
}

function lengthOf(value: Value): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'string') return [...value].length;
  throw new RangeError(`${describe(value)} has no length`);
}

function compare(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  throw new RangeError('only numbers, or only texts, can be sorted');
}
