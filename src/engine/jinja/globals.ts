import { OMIT } from '../values.ts';
import { define } from './builtin.ts';
import { truthy } from './compare.ts';
import { TemplateError } from './errors.ts';
import { iterate } from './iterate.ts';
import { lipsum } from './lipsum.ts';
import { runLookup } from './lookup.ts';
import { addMembers } from './methods/dict.ts';
import { nowMoment } from './moments.ts';
import { Namespace } from './namespace.ts';
import { toInteger } from './numbers.ts';
import { PyFunction, PyObject, Range, type Runtime, Undefined, type Val } from './objects.ts';
import { strftime } from './strftime.ts';
import { requireText } from './text.ts';

class Cycler extends PyObject {
  readonly typeName = 'Cycler';
  readonly #items: readonly Val[];
  #index = 0;

  constructor(items: readonly Val[]) {
    super();
    this.#items = items;
  }

  get #current(): Val {
    return this.#items[this.#index] ?? null;
  }

  override attribute(name: string): Val | undefined {
    if (name === 'current') return this.#current;
    if (name === 'next') return new PyFunction(name, () => this.#next());
    if (name !== 'reset') return undefined;
    return new PyFunction(name, () => {
      this.#index = 0;
      return null;
    });
  }

  #next(): Val {
    const value = this.#current;
    this.#index = (this.#index + 1) % this.#items.length;
    return value;
  }
}

function makeRange(args: readonly Val[]): Range {
  const numbers = args.map((arg) => {
    if (typeof arg === 'boolean') return Number(arg);
    return toInteger(arg, 'the argument of range');
  });
  const [first, second, step = 1] = numbers;
  if (first === undefined || numbers.length > 3)
    throw new TemplateError('range takes 1 to 3 arguments');
  if (step === 0) throw new TemplateError('the step of range must not be zero');
  return second === undefined ? new Range(0, first, 1) : new Range(first, second, step);
}

function makeJoiner(separator: Val): PyFunction {
  let used = false;
  return new PyFunction('joiner', () => {
    const text = used ? separator : '';
    used = true;
    return text;
  });
}

function makeDict(runtime: Runtime, sources: Val, members: Val): Map<Val, Val> {
  const map = new Map<Val, Val>();
  const given = iterate(sources, runtime);
  if (given.length > 1) throw new TemplateError('dict takes at most 1 argument');
  for (const source of given) addMembers(map, source, runtime);
  addMembers(map, members, runtime);
  return map;
}

function now(utc: Val, format: Val): Val {
  const moment = nowMoment(truthy(utc));
  return truthy(format) ? strftime(requireText(format, 'fmt'), moment) : moment;
}

const BUILTINS = [
  define('range', '*numbers', (runtime, numbers) => makeRange(iterate(numbers, runtime))),
  define('dict', '*sources, **members', makeDict),
  define(
    'namespace',
    '*sources, **members',
    (runtime, sources, members) => new Namespace(makeDict(runtime, sources, members)),
  ),
  define('cycler', '*items', (runtime, items) => {
    if (iterate(items, runtime).length === 0)
      throw new TemplateError('cycler needs at least one item');
    return new Cycler(iterate(items, runtime));
  }),
  define('joiner', "sep=', '", (_runtime, separator) => makeJoiner(separator)),
  define('now', 'utc=False, fmt=None', (_runtime, utc, format) => now(utc, format), {
    impure: true,
  }),
  define(
    'undef',
    'hint=None',
    (_runtime, hint) =>
      new Undefined(
        hint === null ? 'the value is undefined on purpose' : requireText(hint, 'hint'),
      ),
  ),
  define('lipsum', 'n=5, html=True, min=20, max=100', lipsum, { impure: true }),
];

const FUNCTIONS: readonly PyFunction[] = [
  ...BUILTINS.map(
    (builtin) =>
      new PyFunction(builtin.name, (args, kwargs, runtime) =>
        builtin.invoke(runtime, args, kwargs),
      ),
  ),
  new PyFunction('lookup', (args, kwargs, runtime) => runLookup(runtime, args, kwargs, false)),
  new PyFunction('query', (args, kwargs, runtime) => runLookup(runtime, args, kwargs, true)),
  new PyFunction('q', (args, kwargs, runtime) => runLookup(runtime, args, kwargs, true)),
];

/** The names that every template knows, besides `vars`. */
export const GLOBALS: ReadonlyMap<string, Val> = new Map<string, Val>([
  ...FUNCTIONS.map((global) => [global.name, global] as const),
  ['omit', OMIT],
]);
