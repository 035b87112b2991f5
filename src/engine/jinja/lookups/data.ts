import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { subelementSteps, subelements } from '../filters/dicts.ts';
import { iterate, membersOf, requireMap } from '../iterate.ts';
import { isList, isMap, type Runtime, Tuple, Undefined, type Val } from '../objects.ts';
import { compileRegex } from '../regex.ts';
import { requireText, textOf } from '../text.ts';

type Items = readonly Val[];

/** Lists among the items are opened, one level deep. */
function flattened(items: Items): Items {
  return items.flatMap((item) => (isList(item) ? item : [item]));
}

/** Lists are opened at every depth, up to an item that stands for none. */
function flatten(runtime: Runtime, items: Items): Items {
  const given = items.map(onlyMember);
  const end = given.findIndex((item) => item === 'None' || item === 'null');
  runtime.step(items.length);
  return given
    .slice(0, end === -1 ? given.length : end)
    .flatMap((item) => (isList(item) ? flatten(runtime, item) : [item]));
}

function onlyMember(item: Val): Val {
  if (!isList(item)) return item;
  const [only] = item;
  return item.length === 1 && only !== undefined ? onlyMember(only) : item;
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
  const [first, ...rest] = iterate(terms, runtime).map((term) => iterate(term, runtime));
  if (first === undefined) throw new TemplateError('nested needs lists to combine');
  // Without another list to combine it with, each item is itself opened.
  if (rest.length === 0) return first.map((item) => [...flattened(iterate(item, runtime))]);
  return rest.reduce<Items>((rows, column) => {
    runtime.step(rows.length * column.length);
    return rows.flatMap((row) => column.map((item) => [...flattened([row, item])]));
  }, first.map(asList));
}

function together(runtime: Runtime, terms: Val): Val {
  const columns = iterate(terms, runtime).map((term) => iterate(term, runtime));
  if (columns.length === 0) throw new TemplateError('together needs lists to combine');
  const length = Math.max(0, ...columns.map((column) => column.length));
  return Array.from({ length }, (_, row) =>
    flattened(columns.map((column) => column[row] ?? null)),
  );
}

function subelementsLookup(runtime: Runtime, terms: Val): Val {
  const [list, path, flags = new Map(), ...surplus] = iterate(terms, runtime);
  if (list === undefined || path === undefined || surplus.length > 0) {
    throw new TemplateError(
      'subelements takes a list, the path of a list inside its items, and flags',
    );
  }
  const options = requireMap(flags, 'the flags of subelements');
  const skipMissing = truthy(options.get('skip_missing') ?? false);
  // A skipped result stands for no items.
  if (isSkipped(list)) return [];
  const given = isMap(list) ? [...list.values()] : iterate(list, runtime);
  const items = given.filter((item) => !isSkipped(item));
  const steps = subelementSteps(path);
  const reachable = skipMissing ? items.filter((item) => isReachable(item, steps)) : items;
  const pairs = subelements(runtime, reachable, path, skipMissing);
  return pairs.map((pair) => {
    const [item, inner] = iterate(pair, runtime);
    return Tuple.fromItems([without(item ?? null, steps), inner ?? null]);
  });
}

function isSkipped(item: Val): boolean {
  return isMap(item) && truthy(item.get('skipped') ?? false);
}

/** Whether the way to the list inside leads through dicts only. The filter fails where it does not. */
function isReachable(item: Val, steps: readonly Val[]): boolean {
  let value: Val | undefined = item;
  for (const [index, step] of steps.entries()) {
    if (value === undefined) return true;
    if (!isMap(value)) return index === 0;
    value = value.get(step);
  }
  return true;
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
    if (runtime.scope.get(name) !== undefined) return runtime.force(runtime.resolve(name));
    return fallback === null ? runtime.resolveGlobal(name) : fallback;
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
    const [name] = requireText(term, 'the name of an environment variable')
      .split(/\s+/)
      .filter(Boolean);
    if (name === undefined) throw new TemplateError('the env lookup needs a name');
    const value = process.env[name];
    return value ?? fallback ?? '';
  });
}

function inventoryHostnames(runtime: Runtime, terms: Val): Val {
  const match = runtime.host.inventoryHostnames;
  if (match === undefined)
    throw new TemplateError('there is no inventory to look up host names in');
  const patterns = membersOf(terms, runtime).map((term) => {
    if ((isList(term) && !(term instanceof Tuple)) || isMap(term))
      throw new TemplateError('a host pattern must be a string');
    return textOf(term);
  });
  if (patterns.length === 0) return [];
  const named = patterns.filter((pattern) => pattern.trim() !== '');
  // An empty pattern stands for all hosts.
  return match(named.length === 0 ? 'all' : named.join(','));
}

const IMPURE = { impure: true };

/** Those of community.general. */
export const collectionLookups: readonly Builtin[] = [
  define('flattened', 'terms', (runtime, terms) => flatten(runtime, iterate(terms, runtime))),
];

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
  // A default of none is no default.
  define('vars', 'terms, default=None', variables),
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
];
