/** The functions of formulas that take a predicate, in which `#` is the element of the list. */
import { sorted, total } from './functions.ts';
import type { Kind, Value } from './values.ts';

/** What a call of such a function works with. */
export interface PredicateCall {
  readonly list: readonly Value[];
  /** What the predicate gives for an element. */
  readonly of: (element: Value, index: number, accumulator?: Value) => Value;
  /** The predicate, which has to give true or false; without one, the elements themselves have to be it. */
  readonly holds: (element: Value, index: number) => boolean;
  /** The predicate, which has to give a number; without one, the elements themselves. */
  readonly number: (element: Value, index: number) => number;
  /** The third argument. */
  readonly last: Value;
}

export interface PredicateFunction {
  /** Whether the predicate may be left out. */
  readonly isOptional?: true;
  /** Whether there may be a third argument. */
  readonly third?: Kind | 'any';
  readonly gives?: Kind;
  readonly apply: (call: PredicateCall) => Value;
}

export const PREDICATES: Readonly<Record<string, PredicateFunction>> = {
  all: { gives: 'boolean', apply: ({ list, holds }) => list.every(holds) },
  any: { gives: 'boolean', apply: ({ list, holds }) => list.some(holds) },
  none: { gives: 'boolean', apply: ({ list, holds }) => !list.some(holds) },
  one: { gives: 'boolean', apply: ({ list, holds }) => list.filter(holds).length === 1 },
  filter: { gives: 'list', apply: ({ list, holds }) => list.filter(holds) },
  map: { gives: 'list', apply: ({ list, of }) => list.map((each, index) => of(each, index)) },
  count: {
    isOptional: true,
    gives: 'number',
    apply: ({ list, holds }) => list.filter(holds).length,
  },
  sum: { isOptional: true, gives: 'number', apply: ({ list, number }) => total(list.map(number)) },
  find: { apply: ({ list, holds }) => list.find(holds) },
  findIndex: { apply: ({ list, holds }) => indexOrNil(list.findIndex(holds)) },
  findLast: { apply: ({ list, holds }) => list.findLast(holds) },
  findLastIndex: { apply: ({ list, holds }) => indexOrNil(list.findLastIndex(holds)) },
  sortBy: {
    third: 'string',
    gives: 'list',
    apply: ({ list, of, last }) =>
      sorted(list, (each, index) => of(each, index), last as string | undefined), // Checked by `third`.
  },
  reduce: { third: 'any', apply: reduce },
  groupBy: { gives: 'map', apply: ({ list, of }) => groups(list, of) },
  countBy: {
    gives: 'map',
    apply: ({ list, of }) =>
      new Map([...groups(list, of)].map(([key, elements]) => [key, elements.length])),
  },
};

function groups(list: readonly Value[], of: PredicateCall['of']): ReadonlyMap<Value, Value[]> {
  const found = new Map<Value, Value[]>();
  for (const [index, element] of list.entries()) {
    const key = of(element, index);
    found.set(key, [...(found.get(key) ?? []), element]);
  }
  return found;
}

function indexOrNil(index: number): number | undefined {
  return index < 0 ? undefined : index;
}

function reduce({ list, of, last }: PredicateCall): Value {
  if (last === undefined && list.length === 0) {
    throw new RangeError('an empty list cannot be reduced without a third argument');
  }
  const [from, initial] = last === undefined ? [1, list[0]] : [0, last];
  let accumulator = initial;
  for (const [index, element] of list.entries()) {
    if (index >= from) accumulator = of(element, index, accumulator);
  }
  return accumulator;
}
