import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { subelements } from '../filters/dicts.ts';
import { iterate, requireMap } from '../iterate.ts';
import { isList, isMap, type Runtime, Tuple, Undefined, type Val } from '../objects.ts';
import { compileRegex } from '../regex.ts';
import { labelOf, requireText } from '../text.ts';

type Items = readonly Val[];

/** Lists among the items are opened, one level deep. */
function flattened(items: Items): Items {
  return items.flatMap((item) => (isList(item) ? item : [item]));
}

function asList(value: Val): Items {
  return isList(value) ? value : [value];
}

function dict(runtime: Runtime, terms: Val): Val {
  return iterate(terms, runtime).flatMap((term) =>
    [...requireMap(term, 'a term of the dict lookup')].map(
      ([key, value]) =>
        new Map<Val, Val>([
          ['key', key],
          ['value', value],
        ]),
    ),
  );
}

function nested(runtime: Runtime, terms: Val): Val {
  const [first, ...rest] = iterate(terms, runtime).map(asList);
  if (first === undefined) return [];
  return rest.reduce<Items>((rows, column) => {
    runtime.step(rows.length * column.length);
    return rows.flatMap((row) => column.map((item) => [...flattened([row, item])]));
  }, first.map(asList));
}

function together(runtime: Runtime, terms: Val): Val {
  const columns = iterate(terms, runtime).map(asList);
  const length = Math.max(0, ...columns.map((column) => column.length));
  return Array.from({ length }, (_, row) =>
    flattened(columns.map((column) => column[row] ?? null)),
  );
}

const SUBELEMENT_FLAGS: ReadonlySet<Val> = new Set<Val>(['skip_missing']);

function subelementsLookup(runtime: Runtime, terms: Val): Val {
  const [list, path, flags = new Map()] = iterate(terms, runtime);
  if (list === undefined || path === undefined) {
    throw new TemplateError('subelements takes a list and the path of a list inside its items');
  }
  const options = requireMap(flags, 'the flags of subelements');
  const unknown = [...options.keys()].find((key) => !SUBELEMENT_FLAGS.has(key));
  if (unknown !== undefined)
    throw new TemplateError(`subelements has no flag ${JSON.stringify(labelOf(unknown))}`);
  const given = isMap(list) ? [...list.values()] : iterate(list, runtime);
  const items = given.filter((item) => !isMap(item) || !truthy(item.get('skipped') ?? false));
  const pairs = subelements(runtime, items, path, truthy(options.get('skip_missing') ?? false));
  const steps = isList(path) ? path : requireText(path, 'the path of subelements').split('.');
  return pairs.map((pair) => {
    const [item, inner] = iterate(pair, runtime);
    return Tuple.fromItems([without(item ?? null, steps), inner ?? null]);
  });
}

/** A copy of an item that lacks the list that was taken out of it, as Ansible's lookup gives it (the filter does not). */
function without(item: Val, [step, ...deeper]: readonly Val[]): Val {
  if (!isMap(item) || step === undefined) return item;
  const members = [...item].flatMap(([key, value]): [Val, Val][] => {
    if (key !== step) return [[key, value]];
    return deeper.length === 0 ? [] : [[key, without(value, deeper)]];
  });
  return new Map(members);
}

/** The vars lookup: variables by name, rendered. */
function variables(runtime: Runtime, terms: Val, fallback: Val): Val {
  return iterate(terms, runtime).map((term) => {
    const name = requireText(term, 'the name of a variable');
    const value =
      runtime.scope.get(name) === undefined ? undefined : runtime.force(runtime.resolve(name));
    if (value !== undefined && !(value instanceof Undefined)) return value;
    if (!(fallback instanceof Undefined)) return fallback;
    return value instanceof Undefined ? value.fail() : runtime.resolveGlobal(name);
  });
}

function variableNames(runtime: Runtime, terms: Val): Val {
  const names = [...runtime.scope.names()];
  return iterate(terms, runtime).flatMap((term) => {
    const regex = compileRegex(requireText(term, 'a pattern of names'));
    return names.filter((name) => regex.exec(name) !== undefined);
  });
}

function environment(runtime: Runtime, terms: Val, fallback: Val): Val {
  return iterate(terms, runtime).map((term) => {
    if (term instanceof Undefined) term.fail();
    const value = process.env[requireText(term, 'the name of an environment variable')];
    return value === undefined ? fallback : value;
  });
}

function inventoryHostnames(runtime: Runtime, terms: Val): Val {
  const match = runtime.host.inventoryHostnames;
  if (match === undefined)
    throw new TemplateError('there is no inventory to look up host names in');
  const patterns = flattened(iterate(terms, runtime)).map((term) =>
    requireText(term, 'a host pattern'),
  );
  return match(patterns.join(','));
}

function config(runtime: Runtime, terms: Val, onMissing: Val): Val {
  const mode = requireText(onMissing, 'on_missing');
  return iterate(terms, runtime).flatMap((term) => {
    const name = requireText(term, 'the name of a setting');
    const value = runtime.host.setting?.(name);
    if (value !== undefined) return [value];
    if (mode === 'error') throw new TemplateError(`there is no setting "${name}"`);
    return [];
  });
}

const IMPURE = { impure: true };

/** What `default` is where the caller gave none. */
const NO_DEFAULT = new Undefined('no default was given');

/** Lookups in values, variables and the environment. */
export const dataLookups: readonly Builtin[] = [
  define('items', 'terms', (runtime, terms) => [...flattened(iterate(terms, runtime))]),
  define('list', 'terms', (_runtime, terms) => terms),
  define('dict', 'terms', dict),
  define('nested', 'terms', nested),
  define('together', 'terms', together),
  define('indexed_items', 'terms', (runtime, terms) =>
    flattened(iterate(terms, runtime)).map((item, index) => Tuple.fromItems([index, item])),
  ),
  define('subelements', 'terms', subelementsLookup),
  define('vars', 'terms, **options', (runtime, terms, options) => {
    const fallback = isMap(options) ? options.get('default') : undefined;
    return variables(runtime, terms, fallback === undefined ? NO_DEFAULT : fallback);
  }),
  define('varnames', 'terms', variableNames),
  define('env', "terms, default=''", environment, { ...IMPURE, acceptsUndefined: true }),
  define('inventory_hostnames', 'terms', inventoryHostnames),
  define(
    'random_choice',
    'terms',
    (runtime, terms) => {
      const items = iterate(terms, runtime);
      return items.slice(Math.floor(Math.random() * items.length)).slice(0, 1);
    },
    IMPURE,
  ),
  define('config', "terms, on_missing='error', **options", config),
];
