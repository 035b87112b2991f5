/** The functions of formulas on lists, maps and JSON. */
import type { FormulaFunction } from './functions.ts';
import { type Code, Duration, kindOf, type Value } from './values.ts';

type List = readonly Value[];
type FormulaMap = ReadonlyMap<Value, Value>;

/** No result has more elements or characters. */
const MOST = 200_000;

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'bool',
  list: 'array',
  map: 'map',
};

export const COLLECTION_FUNCTIONS: Readonly<Record<string, FormulaFunction>> = {
  concat: {
    takes: ['list'],
    isRepeated: true,
    gives: 'list',
    apply: (...lists: List[]) => lists.flat(1),
  },
  flatten: { takes: ['list'], gives: 'list', apply: (list: List) => flatten(list, []) },
  get: { takes: ['any', 'any'], apply: get },
  keys: { takes: ['map'], gives: 'list', apply: (map: FormulaMap) => [...map.keys()] },
  values: { takes: ['map'], gives: 'list', apply: (map: FormulaMap) => [...map.values()] },
  toPairs: { takes: ['map'], gives: 'list', apply: (map: FormulaMap) => [...map] },
  fromPairs: { takes: ['list'], gives: 'map', apply: (pairs: List) => new Map(pairs.map(pairOf)) },
  fromJSON: { takes: ['string'], apply: fromJson },
  toJSON: { takes: ['any'], gives: 'string', apply: toJson },
  type: { takes: ['any'], gives: 'string', apply: typeOf, ofCode: typeOfCode },
};

function flatten(list: List, found: Value[]): List {
  for (const element of list) {
    if (Array.isArray(element)) flatten(element, found);
    else found.push(element);
    if (found.length > MOST) throw new RangeError('the list is too long');
  }
  return found;
}

/** Nil where there is no such element. */
function get(of: Value, key: Value): Value {
  if (of instanceof Map) return of.get(key);
  if (!Array.isArray(of) || typeof key !== 'number') return undefined;
  return (of as List).at(Number.isInteger(key) ? key : of.length);
}

function pairOf(pair: Value): readonly [Value, Value] {
  if (Array.isArray(pair) && pair.length === 2) return [pair[0], pair[1]];
  throw new RangeError('a list of pairs is needed');
}

function fromJson(text: string): Value {
  try {
    return fromPlain(JSON.parse(text));
  } catch {
    throw new RangeError('the text is no JSON');
  }
}

function fromPlain(value: unknown): Value {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value !== 'object') return value as Value; // What JSON has beside these.
  return new Map(Object.entries(value).map(([key, each]) => [key, fromPlain(each)]));
}

/** Indented by two blanks, with the keys in order. */
function toJson(value: Value): string {
  let left = MOST;
  const toPlain = (each: Value): unknown => {
    left -= 1;
    if (left < 0) throw new RangeError('the JSON is too long');
    if (each === undefined) return null;
    if (each instanceof Duration) return each.nanoseconds;
    if (Array.isArray(each)) return each.map(toPlain);
    if (!(each instanceof Map)) return each;
    const pairs = [...each].map(([key, member]) => [String(key), toPlain(member)] as const);
    return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.stringify(toPlain(value), null, 2);
}

function typeOf(value: Value): string {
  if (value instanceof Duration) return 'time.Duration';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return TYPES[kindOf(value) ?? ''] ?? 'nil';
}

/** Whether a number is an integer is known from how it was made. */
function typeOfCode({ kind, isWhole }: Code): Value {
  if (kind !== 'number' || isWhole === undefined) return undefined;
  return isWhole ? 'int' : 'float';
}
