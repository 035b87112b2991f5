import { getItem } from '../access.ts';
import { type Builtin, define } from '../builtin.ts';
import { hashKey, mapGet, order, requireHashable, storeMember, truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { iterate, requireList, requireMap } from '../iterate.ts';
import { toFlag } from '../numbers.ts';
import {
  EmptyUndefined,
  isList,
  isMap,
  isText,
  type Runtime,
  Tuple,
  typeName,
  type Val,
  type ValMap,
} from '../objects.ts';
import { labelOf, requireText } from '../text.ts';
import { caseKey } from './attribute.ts';
import { combineFilter } from './combine.ts';

function dictToItems(value: Val, keyName: Val, valueName: Val): Val {
  const members = [...requireMap(value, 'the value of dict2items')];
  return members.map(
    ([key, member]) =>
      new Map([
        [keyName, key],
        [valueName, member],
      ]),
  );
}

function itemsToDict(value: Val, keyName: Val, valueName: Val): Val {
  const dict = new Map<Val, Val>();
  for (const item of requireList(value, 'the value of items2dict')) {
    const entry = requireMap(item, 'each item of items2dict');
    storeMember(dict, memberOf(entry, keyName), memberOf(entry, valueName));
  }
  return dict;
}

function memberOf(entry: ValMap, name: Val): Val {
  const value = mapGet(entry, name);
  if (value === undefined) throw new TemplateError(`an item of the list has no '${labelOf(name)}'`);
  return value;
}

function dictSort(value: Val, caseSensitive: Val, by: Val, reverse: Val): Val {
  const position = ['key', 'value'].indexOf(requireText(by, 'by'));
  if (position === -1) throw new TemplateError('dictsort sorts by "key" or "value"');
  const keyOf = (pair: readonly Val[]) => caseKey(pair[position] ?? null, truthy(caseSensitive));
  const sign = toFlag(reverse, 'reverse') ? -1 : 1;
  const pairs = [...requireMap(value, 'the value of dictsort')];
  const sorted = pairs.sort((a, b) => sign * order(keyOf(a), keyOf(b)));
  return sorted.map((pair) => Tuple.fromItems(pair));
}

function extract(runtime: Runtime, item: Val, container: Val, moreKeys: Val): Val {
  const keys = moreKeys === null ? [] : isList(moreKeys) ? moreKeys : [moreKeys];
  const found = [item, ...keys].reduce(
    (value: Val, key) => getItem(value, key, runtime),
    container,
  );
  return runtime.force(found);
}

function rekey(runtime: Runtime, value: Val, key: Val, duplicates: Val): Val {
  if (duplicates !== 'error' && duplicates !== 'overwrite') {
    throw new TemplateError('duplicates must be "error" or "overwrite"');
  }
  if (isText(value)) throw new TemplateError('rekey_on_member takes a list or dict');
  const items = isMap(value) ? [...value.values()] : iterate(value, runtime);
  const result = new Map<Val, Val>();
  const seen = new Set<string>();
  for (const item of items) {
    const entry = requireMap(item, 'each item of rekey_on_member');
    const member = memberOf(entry, key);
    if (seen.has(hashKey(member)) && duplicates === 'error') {
      throw new TemplateError(`the key ${JSON.stringify(labelOf(member))} is not unique`);
    }
    seen.add(hashKey(member));
    storeMember(result, member, item);
  }
  return result;
}

/** The steps to the list inside: a dotted path, or a list of keys. */
export function subelementSteps(path: Val): readonly Val[] {
  if (isList(path) && !(path instanceof Tuple)) return path;
  return requireText(path, 'the path of subelements').split('.');
}

/** Every item with each element of a list inside it. `value` may be a dict of items. */
export function subelements(
  runtime: Runtime,
  value: Val,
  path: Val,
  skipMissing: boolean,
): readonly Val[] {
  const items = isMap(value) ? [...value.values()] : requireList(value, 'the value of subelements');
  const steps = subelementSteps(path);
  return items.flatMap((item) => {
    const list = innerList(item, steps, skipMissing);
    runtime.step(list.length);
    return list.map((inner) => Tuple.fromItems([item, inner]));
  });
}

function innerList(item: Val, steps: readonly Val[], skipMissing: boolean): readonly Val[] {
  let value: Val = item;
  for (const step of steps) {
    if (!isMap(value))
      throw new TemplateError(`'${labelOf(step)}' is looked for in what is no dict`);
    requireHashable(step);
    const next = mapGet(value, step);
    if (next === undefined && skipMissing) return [];
    if (next === undefined)
      throw new TemplateError(`an item has no '${labelOf(step)}' (see skip_missing)`);
    value = next;
  }
  if (!isList(value))
    throw new TemplateError(`the subelements are no list but '${typeName(value)}'`);
  return value;
}

/** Filters that make and change dicts. */
export const dictFilters: readonly Builtin[] = [
  combineFilter,
  define('dict2items', "value, key_name='key', value_name='value'", (_runtime, ...args) =>
    dictToItems(args[0] ?? null, args[1] ?? null, args[2] ?? null),
  ),
  define('items2dict', "value, key_name='key', value_name='value'", (_runtime, ...args) =>
    itemsToDict(args[0] ?? null, args[1] ?? null, args[2] ?? null),
  ),
  define(
    'dictsort',
    "value, case_sensitive=False, by='key', reverse=False",
    (_runtime, ...args) => {
      const [value = null, caseSensitive = false, by = null, reverse = false] = args;
      return dictSort(value, caseSensitive, by, reverse);
    },
  ),
  define('items', 'value', (_runtime, value) =>
    value instanceof EmptyUndefined
      ? []
      : [...requireMap(value, 'the value of items')].map((pair) => Tuple.fromItems(pair)),
  ),
  define('extract', 'item, container, morekeys=None', extract),
  define('rekey_on_member', "value, key, duplicates='error'", rekey),
  define('subelements', 'value, subelements, skip_missing=False', (runtime, value, path, skip) => [
    ...subelements(runtime, value, path, truthy(skip)),
  ]),
];
