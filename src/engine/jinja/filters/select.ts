import { NamedTuple } from '../access.ts';
import { type Builtin, define } from '../builtin.ts';
import { equals, order, truthy } from '../compare.ts';
import { requireDefined } from '../defined-parts.ts';
import { TemplateError } from '../errors.ts';
import { membersOf } from '../iterate.ts';
import { type Callback, isMap, type Kwargs, type Runtime, type Val } from '../objects.ts';
import { requireText } from '../text.ts';
import { attributeGetter, caseKey, keyGetter } from './attribute.ts';

/** Keyword arguments from the dict that `**options` gives. */
export function keywords(options: Val): Kwargs {
  const kwargs = new Map<string, Val>();
  if (isMap(options)) for (const [key, value] of options) kwargs.set(String(key), value);
  return kwargs;
}

function named(found: Callback | undefined, kind: string, name: Val): Callback {
  if (found !== undefined) return found;
  throw new TemplateError(
    `there is no ${kind} named "${requireText(name, `the name of a ${kind}`)}"`,
  );
}

function map(runtime: Runtime, value: Val, args: Val, options: Val): Val {
  const [name, ...rest] = membersOf(args, runtime);
  const kwargs = keywords(options);
  const items = presentItems(runtime, value);
  if (items.length === 0) return [];
  if (name === undefined) return mapAttribute(runtime, items, kwargs);
  const filter = named(
    runtime.engine.filter(requireText(name, 'the name of a filter')),
    'filter',
    name,
  );
  return items.map((item) => filter.invoke(runtime, [item, ...rest], kwargs));
}

function mapAttribute(runtime: Runtime, items: readonly Val[], kwargs: Kwargs): Val {
  const attribute = kwargs.get('attribute');
  if (attribute === undefined)
    throw new TemplateError('map needs the name of a filter, or attribute=');
  const unknown = [...kwargs.keys()].find((key) => key !== 'attribute' && key !== 'default');
  if (unknown !== undefined) throw new TemplateError(`map() has no argument '${unknown}'`);
  if (attribute === null) return items;
  requireDefined(attribute);
  return items.map(attributeGetter(runtime, attribute, kwargs.get('default')));
}

/** The items, none of what is false: these filters do not look at that. */
function presentItems(runtime: Runtime, value: Val): readonly Val[] {
  return truthy(value) ? membersOf(value, runtime) : [];
}

type Predicate = (item: Val) => boolean;

function predicate(runtime: Runtime, args: readonly Val[], kwargs: Kwargs): Predicate {
  const [name, ...rest] = args;
  if (name === undefined) return truthy;
  const test = named(runtime.engine.test(requireText(name, 'the name of a test')), 'test', name);
  return (item) => truthy(test.invoke(runtime, [item, ...rest], kwargs));
}

/** `select` and `reject`: the items for which a test gives the wanted answer. */
function selecting(wanted: boolean) {
  return (runtime: Runtime, value: Val, args: Val, options: Val): Val => {
    const items = presentItems(runtime, value);
    if (items.length === 0) return [];
    const holds = predicate(runtime, membersOf(args, runtime), keywords(options));
    return items.filter((item) => holds(item) === wanted);
  };
}

/** `selectattr` and `rejectattr`: the same for an attribute of the items. */
function selectingByAttribute(wanted: boolean) {
  return (runtime: Runtime, value: Val, args: Val, options: Val): Val => {
    const items = presentItems(runtime, value);
    if (items.length === 0) return [];
    const [attribute, ...rest] = membersOf(args, runtime);
    if (attribute === undefined) throw new TemplateError('the name of an attribute is missing');
    const get = keyGetter(runtime, attribute);
    const holds = predicate(runtime, rest, keywords(options));
    return items.filter((item) => holds(get(item)) === wanted);
  };
}

interface Group {
  readonly key: Val;
  readonly grouper: Val;
  readonly items: Val[];
}

/** Its `default` is not applied: ansible-core 2.19 fails on a missing attribute all the same. */
function groupBy(runtime: Runtime, value: Val, attribute: Val, caseSensitive: Val): Val {
  const get = attributeGetter(runtime, attribute);
  const keyed = membersOf(value, runtime).map((item) => {
    const grouper = get(item);
    return { item, grouper, key: caseKey(grouper, truthy(caseSensitive)) };
  });
  keyed.sort((a, b) => order(a.key, b.key));
  const groups: Group[] = [];
  for (const { item, grouper, key } of keyed) {
    const group = groups.at(-1);
    if (group !== undefined && equals(group.key, key)) group.items.push(item);
    else groups.push({ key, grouper, items: [item] });
  }
  return groups.map(({ grouper, items }) => NamedTuple.make(['grouper', 'list'], [grouper, items]));
}

/** Filters that apply a filter or test to every item, or part the items by an attribute. */
export const selectFilters: readonly Builtin[] = [
  define('map', 'value, *args, **options', map),
  define('select', 'value, *args, **options', selecting(true)),
  define('reject', 'value, *args, **options', selecting(false)),
  define('selectattr', 'value, *args, **options', selectingByAttribute(true)),
  define('rejectattr', 'value, *args, **options', selectingByAttribute(false)),
  define('groupby', 'value, attribute, default=None, case_sensitive=False', (runtime, ...args) => {
    const [value = null, attribute = null, , caseSensitive = false] = args;
    return groupBy(runtime, value, attribute, caseSensitive);
  }),
];
