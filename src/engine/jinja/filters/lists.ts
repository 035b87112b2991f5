import { Budget } from '../budget.ts';
import { type Builtin, define } from '../builtin.ts';
import { hashKey, order, requireHashable, truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { iterate, lengthOf, membersOf } from '../iterate.ts';
import { toAmount, toFlag, toInteger } from '../numbers.ts';
import { isList, isText, type Runtime, Undefined, type Val } from '../objects.ts';
import { operate } from '../operators.ts';
import { characters, textOf } from '../text.ts';
import { attributeGetter, caseKey, keyGetter } from './attribute.ts';

interface Keyed {
  readonly item: Val;
  readonly keys: readonly Val[];
}

function orderKeys(a: Keyed, b: Keyed): number {
  for (const [index, key] of a.keys.entries()) {
    const difference = order(key, b.keys[index] ?? null);
    if (difference !== 0) return difference;
  }
  return 0;
}

function sort(runtime: Runtime, value: Val, reverse: Val, caseSensitive: Val, attribute: Val): Val {
  const sign = toFlag(reverse, 'reverse') ? -1 : 1;
  const paths = isText(attribute) ? textOf(attribute).split(',') : [attribute];
  const getters = paths.map((path) => keyGetter(runtime, path));
  const keyed = iterate(value, runtime).map((item) => ({
    item,
    keys: getters.map((get) => caseKey(get(item), truthy(caseSensitive))),
  }));
  for (const { keys } of keyed) for (const key of keys) if (key instanceof Undefined) key.fail();
  return keyed.sort((a, b) => sign * orderKeys(a, b)).map(({ item }) => item);
}

/** Where an attribute or the case is asked for, only what can be hashed is compared. */
function unique(runtime: Runtime, value: Val, caseSensitive: Val, attribute: Val): Val {
  const isNamed = truthy(attribute);
  const get = keyGetter(runtime, isNamed || caseSensitive === false ? attribute : null);
  const isStrict = isNamed || caseSensitive === false;
  const seen = new Set<string>();
  return iterate(value, runtime).filter((item) => {
    const compared = caseKey(get(item), truthy(caseSensitive));
    if (isStrict) requireHashable(compared);
    const key = hashKey(compared);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function nothing(which: string): Undefined {
  return new Undefined(`the sequence is empty, so it has no ${which} item`);
}

function extreme(sign: 1 | -1) {
  return (runtime: Runtime, value: Val, caseSensitive: Val, attribute: Val): Val => {
    const get = keyGetter(runtime, attribute);
    let best: Keyed | undefined;
    for (const item of iterate(value, runtime)) {
      const keyed = { item, keys: [caseKey(get(item), truthy(caseSensitive))] };
      if (keyed.keys[0] instanceof Undefined) keyed.keys[0].fail();
      if (best === undefined || sign * orderKeys(keyed, best) > 0) best = keyed;
    }
    return best === undefined ? nothing('extreme') : best.item;
  };
}

function sum(runtime: Runtime, value: Val, attribute: Val, start: Val): Val {
  if (isText(start)) throw new TemplateError('sum cannot add texts, use join');
  const get = keyGetter(runtime, attribute);
  return iterate(value, runtime).reduce(
    (total: Val, item) => operate('+', total, get(item), runtime),
    start,
  );
}

function join(runtime: Runtime, value: Val, separator: Val, attribute: Val): Val {
  const get = attribute === null ? undefined : attributeGetter(runtime, attribute);
  const texts = iterate(value, runtime).map((item) => textOf(get === undefined ? item : get(item)));
  const mark = textOf(separator);
  runtime.checkSize(texts.reduce((size, text) => size + text.length + mark.length, 0));
  return texts.join(mark);
}

function reverse(runtime: Runtime, value: Val): Val {
  if (isText(value)) return characters(textOf(value)).reverse().join('');
  return [...iterate(value, runtime)].reverse();
}

function batch(runtime: Runtime, value: Val, size: Val, fill: Val): Val {
  const lines: Val[][] = [];
  const count = toAmount(size, 'linecount');
  let line: Val[] = [];
  for (const item of iterate(value, runtime)) {
    if (line.length === count) {
      lines.push(line);
      line = [];
    }
    line.push(item);
  }
  if (line.length === 0) return lines;
  if (fill !== null) {
    runtime.checkItems(Math.ceil(count));
    while (line.length < count) line.push(fill);
  }
  return [...lines, line];
}

function slice(runtime: Runtime, value: Val, slices: Val, fill: Val): Val {
  const items = iterate(value, runtime);
  const count = toInteger(slices, 'slices');
  if (count === 0) throw new TemplateError('slices must not be zero');
  if (count < 0) return [];
  runtime.checkItems(count);
  const [size, larger] = [Math.floor(items.length / count), items.length % count];
  return Array.from({ length: count }, (_, index) => {
    const start = index * size + Math.min(index, larger);
    const part = items.slice(start, start + size + (index < larger ? 1 : 0));
    return fill !== null && index >= larger ? [...part, fill] : part;
  });
}

const NULLS: ReadonlySet<Val> = new Set<Val>([null, 'None', 'null']);

function flatten(runtime: Runtime, value: Val, levels: Val, skipNulls: Val): Val {
  const depth = levels === null ? Number.POSITIVE_INFINITY : toAmount(levels, 'levels');
  if (levels !== null && depth === Number.POSITIVE_INFINITY)
    throw new TemplateError('levels must be finite');
  const skip = truthy(skipNulls);
  const budget = new Budget();
  const flat: Val[] = [];
  const add = (items: readonly Val[], left: number): void => {
    budget.visit(items.length);
    for (const item of items) {
      if (skip && NULLS.has(item)) continue;
      if (isList(item) && left > 0) add(item, left - 1);
      else flat.push(item);
    }
  };
  add(iterate(value, runtime), depth);
  return flat;
}

/** Filters that look at the items of a list. */
export const listFilters: readonly Builtin[] = [
  define('first', 'value', (runtime, value) => {
    const [first] = membersOf(value, runtime);
    return first === undefined ? nothing('first') : first;
  }),
  define('last', 'value', (runtime, value) => {
    const last = membersOf(value, runtime).at(-1);
    return last === undefined ? nothing('last') : last;
  }),
  define('length count', 'value', (_runtime, value) => lengthOf(value)),
  define(
    'sort',
    'value, reverse=False, case_sensitive=False, attribute=None',
    (runtime, ...args) => {
      const [value = null, reversed = false, caseSensitive = false, attribute = null] = args;
      return sort(runtime, value, reversed, caseSensitive, attribute);
    },
  ),
  define('unique', 'value, case_sensitive=None, attribute=None', unique),
  define('min', 'value, case_sensitive=False, attribute=None', extreme(-1)),
  define('max', 'value, case_sensitive=False, attribute=None', extreme(1)),
  define('sum', 'value, attribute=None, start=0', sum),
  define('join', "value, d='', attribute=None", join),
  define('reverse', 'value', reverse),
  define('batch', 'value, linecount, fill_with=None', batch),
  define('slice', 'value, slices, fill_with=None', slice),
  define('flatten', 'value, levels=None, skip_nulls=True', flatten),
];
