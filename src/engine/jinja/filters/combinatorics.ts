import { type Builtin, define } from '../builtin.ts';
import { hashKey } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { toCount } from '../numbers.ts';
import { type Runtime, Tuple, type Val } from '../objects.ts';

type Items = readonly Val[];

function tuples(rows: readonly Items[]): Val {
  return rows.map((row) => Tuple.fromItems(row));
}

function lists(runtime: Runtime, first: Val, others: Val): readonly Items[] {
  return [first, ...iterate(others, runtime)].map((list) => iterate(list, runtime));
}

function zip(runtime: Runtime, value: Val, others: Val): Val {
  const columns = lists(runtime, value, others);
  const length = Math.min(...columns.map((column) => column.length));
  return tuples(Array.from({ length }, (_, row) => columns.map((column) => column[row] ?? null)));
}

function zipLongest(runtime: Runtime, value: Val, others: Val, fill: Val): Val {
  const columns = lists(runtime, value, others);
  const length = Math.max(...columns.map((column) => column.length));
  const cell = (column: Items, row: number) => (row < column.length ? (column[row] ?? null) : fill);
  return tuples(Array.from({ length }, (_, row) => columns.map((column) => cell(column, row))));
}

/** All ways to take one item of each list. */
export function cartesian(runtime: Runtime, columns: readonly Items[]): readonly Items[] {
  runtime.checkItems(columns.reduce((size, column) => size * column.length, 1));
  return columns.reduce<readonly Items[]>(
    (rows, column) => rows.flatMap((row) => column.map((item) => [...row, item])),
    [[]],
  );
}

/** How many items are to be taken. Throws TemplateError where it is no such number. */
function toSize(value: Val, what: string): number {
  const size = toCount(value, what);
  if (size < 0) throw new TemplateError(`${what} must not be negative`);
  return size;
}

function product(runtime: Runtime, value: Val, others: Val, repeat: Val): Val {
  const times = toSize(repeat, 'repeat');
  runtime.checkItems(times);
  const columns = Array.from({ length: times }, () => lists(runtime, value, others)).flat();
  return tuples(cartesian(runtime, columns));
}

/** n * (n - 1) * ... with so many factors. */
function fallingProduct(n: number, factors: number): number {
  return Array.from({ length: factors }, (_, index) => n - index).reduce((a, b) => a * b, 1);
}

function permutations(runtime: Runtime, value: Val, size: Val): Val {
  const items = iterate(value, runtime);
  const wanted = size === null ? items.length : toSize(size, 'r');
  const grow = (row: readonly number[]): readonly (readonly number[])[] => {
    if (row.length === wanted) return [row];
    runtime.step(items.length);
    return items.flatMap((_, index) => (row.includes(index) ? [] : grow([...row, index])));
  };
  if (wanted > items.length) return [];
  runtime.checkItems(fallingProduct(items.length, wanted));
  return tuples(grow([]).map((row) => row.map((index) => items[index] ?? null)));
}

function combinations(runtime: Runtime, value: Val, size: Val): Val {
  const items = iterate(value, runtime);
  const wanted = toSize(size, 'r');
  const grow = (start: number, left: number): readonly Items[] => {
    if (left === 0) return [[]];
    runtime.step(items.length);
    const heads = items.slice(start, items.length - left + 1);
    return heads.flatMap((head, offset) =>
      grow(start + offset + 1, left - 1).map((tail) => [head, ...tail]),
    );
  };
  if (wanted > items.length) return [];
  const smaller = Math.min(wanted, items.length - wanted);
  runtime.checkItems(fallingProduct(items.length, smaller) / fallingProduct(smaller, smaller));
  return tuples(grow(0, wanted));
}

function keysOf(items: Items): ReadonlySet<string> {
  return new Set(items.map((item) => hashKey(item)));
}

function distinct(items: Items): Items {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = hashKey(item);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** A filter of set theory. The order is that of the operands, where Ansible's is arbitrary. */
function setFilter(name: string, combine: (a: Items, b: Items) => Items): Builtin {
  return define(name, 'a, b', (runtime, a, b) =>
    distinct(combine(iterate(a, runtime), iterate(b, runtime))),
  );
}

function without(a: Items, b: Items): Items {
  const keys = keysOf(b);
  return a.filter((item) => !keys.has(hashKey(item)));
}

/** Filters that combine several lists. */
export const combinatoricFilters: readonly Builtin[] = [
  define('zip', 'value, *others', zip),
  define('zip_longest', 'value, *others, fillvalue=None', zipLongest),
  define('product', 'value, *others, repeat=1', product),
  define('permutations', 'value, r=None', permutations),
  define('combinations', 'value, r', combinations),
  setFilter('union', (a, b) => [...a, ...b]),
  setFilter('intersect', (a, b) => {
    const keys = keysOf(b);
    return a.filter((item) => keys.has(hashKey(item)));
  }),
  setFilter('difference', without),
  setFilter('symmetric_difference', (a, b) => [...without(a, b), ...without(b, a)]),
];
