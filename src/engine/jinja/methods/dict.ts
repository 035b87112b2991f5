import { type Builtin, define, tableOf } from '../builtin.ts';
import { equalKey, mapGet, requireHashable, storeMember } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { iterate, mapOf } from '../iterate.ts';
import { isMap, type Runtime, Tuple, type Val, type ValMap } from '../objects.ts';
import { labelOf } from '../text.ts';

function dictOf(self: Val): ValMap {
  return mapOf(self, 'self');
}

/** The dict itself, to be changed in place; see `mutable` of the list methods for why that is safe. */
function mutable(self: Val): Map<Val, Val> {
  return dictOf(self) as Map<Val, Val>; // Made by this evaluation.
}

/** A dict of pairs or of another dict's members. Throws TemplateError on what are no pairs. */
export function addMembers(target: Map<Val, Val>, source: Val, runtime: Runtime): void {
  if (isMap(source)) {
    for (const [key, value] of source) storeMember(target, key, value);
    return;
  }
  for (const pair of iterate(source, runtime)) {
    const [key, value, ...surplus] = iterate(pair, runtime);
    if (key === undefined || value === undefined || surplus.length > 0) {
      throw new TemplateError('a dict can only be made of pairs');
    }
    storeMember(target, key, value);
  }
}

function pop(self: Val, key: Val, fallback: readonly Val[]): Val {
  if (fallback.length > 1) throw new TemplateError('pop takes a key and one value in its place');
  const map = mutable(self);
  const found = equalKey(map, key);
  if (found === undefined) {
    const [value] = fallback;
    if (value === undefined)
      throw new TemplateError(`the dict has no key ${JSON.stringify(labelOf(key))}`);
    return value;
  }
  const value = map.get(found.key) ?? null;
  map.delete(found.key);
  return value;
}

function setDefault(self: Val, key: Val, value: Val): Val {
  const known = mapGet(dictOf(self), key);
  if (known === undefined) storeMember(mutable(self), key, value);
  return known === undefined ? value : known;
}

function memberOr(map: ValMap, key: Val, fallback: Val): Val {
  const value = mapGet(map, key);
  return value === undefined ? fallback : value;
}

function update(runtime: Runtime, self: Val, sources: Val, options: Val): null {
  for (const source of iterate(sources, runtime)) addMembers(mutable(self), source, runtime);
  addMembers(mutable(self), options, runtime);
  return null;
}

function popItem(self: Val): Val {
  const map = mutable(self);
  const last = [...map].at(-1);
  if (last === undefined) throw new TemplateError('the dict is empty');
  map.delete(last[0]);
  return Tuple.fromItems(last);
}

/** The methods of dict. */
export const dictMethods: ReadonlyMap<string, Builtin> = tableOf([
  define('get', 'self, key, default=None', (runtime, self, key, fallback) => {
    requireHashable(key);
    return runtime.force(memberOr(dictOf(self), key, fallback));
  }),
  define('keys', 'self', (_runtime, self) => [...dictOf(self).keys()]),
  define('values', 'self', (runtime, self) =>
    [...dictOf(self).values()].map((member) => runtime.force(member)),
  ),
  define('items', 'self', (runtime, self) =>
    [...dictOf(self)].map(([key, member]) => Tuple.fromItems([key, runtime.force(member)])),
  ),
  define('copy', 'self', (_runtime, self) => new Map(dictOf(self))),
  define('pop', 'self, key, *default', (runtime, self, key, fallback) =>
    pop(self, key, iterate(fallback, runtime)),
  ),
  define('popitem', 'self', (_runtime, self) => popItem(self)),
  define('setdefault', 'self, key, default=None', (_runtime, self, key, fallback) =>
    setDefault(self, key, fallback),
  ),
  define('update', 'self, *sources, **members', update),
  define('clear', 'self', (_runtime, self) => {
    mutable(self).clear();
    return null;
  }),
  define(
    'fromkeys',
    'self, keys, value=None',
    (runtime, _self, keys, value) => new Map(iterate(keys, runtime).map((key) => [key, value])),
  ),
]);
