import { type Builtin, define, tableOf } from '../builtin.ts';
import { equals, order, truthy } from '../compare.ts';
import { requireDefined } from '../defined-parts.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { toInteger } from '../numbers.ts';
import { isList, PyFunction, Range, type Runtime, Tuple, type Val } from '../objects.ts';

/**
 * The list itself, to be changed in place. A template that calls such a method works on copies of the
 * variables (see Runtime.copyVariables), so no value of a playbook changes.
 */
function mutable(self: Val): Val[] {
  if (!isList(self) || self instanceof Tuple) throw new TemplateError('a tuple cannot be changed');
  return self as Val[]; // Made by this evaluation, for the reason given above.
}

function listOf(self: Val): readonly Val[] {
  if (self instanceof Range) return Array.from({ length: self.length }, (_, i) => self.at(i));
  return isList(self) ? self : [];
}

function indexOf(self: Val, wanted: Val, [start, stop]: readonly [number, number]): number {
  const { length } = listOf(self);
  const [from, to] = [start, stop].map((at) => (at < 0 ? at + length : at));
  const isWithin = (at: number) => at >= (from ?? 0) && at < (to ?? length);
  const index = listOf(self).findIndex((item, at) => isWithin(at) && equals(item, wanted));
  if (index === -1) throw new TemplateError('the value is not in the list');
  return index;
}

function pop(self: Val, at: Val): Val {
  const list = mutable(self);
  const index = toInteger(at, 'index');
  const position = index < 0 ? index + list.length : index;
  if (position < 0 || position >= list.length) throw new TemplateError('pop index out of range');
  return list.splice(position, 1)[0] ?? null;
}

function sort(runtime: Runtime, self: Val, key: Val, reverse: Val): null {
  const list = mutable(self);
  const keyOf = (item: Val) =>
    key instanceof PyFunction ? key.call([item], new Map(), runtime) : item;
  list.sort((a, b) => order(keyOf(a), keyOf(b)) * (truthy(reverse) ? -1 : 1));
  return null;
}

function extend(runtime: Runtime, self: Val, items: Val): null {
  const added = iterate(items, runtime);
  runtime.checkItems(listOf(self).length + added.length);
  for (const item of [...added]) mutable(self).push(item);
  return null;
}

/** The methods that change a list in place, and how. */
const CHANGING: readonly Builtin[] = [
  define(
    'append',
    'self, item',
    (runtime, self, item) => {
      runtime.step();
      mutable(self).push(item);
      return null;
    },
    { acceptsUndefined: true },
  ),
  define('extend', 'self, items', extend),
  define('insert', 'self, index, item', (_runtime, self, index, item) => {
    mutable(self).splice(toInteger(index, 'index'), 0, item);
    return null;
  }),
  define('pop', 'self, index=-1', (_runtime, self, index) => pop(self, index)),
  define('remove', 'self, item', (_runtime, self, item) => {
    mutable(self).splice(indexOf(self, item, [0, Infinity]), 1);
    return null;
  }),
  define('clear', 'self', (_runtime, self) => {
    mutable(self).length = 0;
    return null;
  }),
  define('reverse', 'self', (_runtime, self) => {
    mutable(self).reverse();
    return null;
  }),
  define('sort', 'self, key=None, reverse=False', sort),
];

/** The methods that look at the items. */
const LOOKING: readonly Builtin[] = [
  define('count', 'self, item', (_runtime, self, item) => {
    requireDefined(item);
    return listOf(self).filter((candidate) => equals(candidate, item)).length;
  }),
  define('index', 'self, item, start=0, stop=None', (_runtime, self, item, start, stop) =>
    indexOf(self, item, [
      toInteger(start, 'start'),
      stop === null ? Infinity : toInteger(stop, 'stop'),
    ]),
  ),
];

/** The methods of list and tuple. */
export const listMethods: ReadonlyMap<string, Builtin> = tableOf([
  ...CHANGING,
  define('copy', 'self', (_runtime, self) => [...mutable(self)]),
  ...LOOKING,
]);

/** The methods of range. */
export const rangeMethods: ReadonlyMap<string, Builtin> = tableOf([
  ...LOOKING,
  define('index', 'self, item', (_runtime, self, item) => indexOf(self, item, [0, Infinity])),
]);
