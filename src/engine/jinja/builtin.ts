import { TemplateError } from './errors.ts';
import {
  type Callback,
  EmptyUndefined,
  Failed,
  isList,
  type Kwargs,
  type Runtime,
  Undefined,
  type Val,
} from './objects.ts';
import { bind, parseSignature, type Signature } from './signature.ts';

/** The body of a filter, test, lookup or method. The values are bound to its signature. */
export type BuiltinBody = (runtime: Runtime, ...values: Val[]) => Val;

export interface BuiltinOptions {
  /** Whether an undefined value or argument is passed on instead of failing. */
  readonly acceptsUndefined?: boolean;
  /** Whether a first argument that fails for another reason is passed on, too. */
  readonly acceptsFailed?: boolean;
  /** Whether the result depends on more than the arguments and variables. */
  readonly impure?: boolean;
}

/** One function of the template language, with its aliases. */
export class Builtin implements Callback {
  readonly name: string;
  readonly names: readonly string[];
  readonly acceptsUndefined: boolean;
  readonly #acceptsFailed: boolean;
  readonly #impure: boolean;
  readonly #signature: Signature;
  readonly #body: BuiltinBody;

  constructor(names: string, signature: string, body: BuiltinBody, options: BuiltinOptions = {}) {
    this.names = names.split(' ');
    this.name = this.names[0] ?? names;
    this.acceptsUndefined = options.acceptsUndefined ?? false;
    this.#acceptsFailed = options.acceptsFailed ?? false;
    this.#impure = options.impure ?? false;
    this.#signature = parseSignature(signature);
    this.#body = body;
  }

  /**
   * Calls it. An undefined argument is what it gives, too, and where it fails, it gives a value that fails when it
   * is used: `x | upper | default('y')` is `y` without x.
   */
  invoke(runtime: Runtime, args: readonly Val[], kwargs?: Kwargs): Val {
    const [first] = args;
    if (first instanceof Failed && !this.#acceptsFailed) return first;
    if (!this.acceptsUndefined) {
      const missing = undefinedAmong(args, kwargs);
      if (missing !== undefined) return missing;
    }
    if (this.#impure) runtime.requireImpure(this.name);
    return capturing(() => this.#run(runtime, args, kwargs));
  }

  #run(runtime: Runtime, args: readonly Val[], kwargs: Kwargs | undefined): Val {
    runtime.step();
    const result = this.#body(runtime, ...bind(this.name, this.#signature, args, kwargs));
    // Whatever it is that makes them, texts and lists count as work and have an end.
    if (typeof result === 'string') runtime.checkSize(result.length);
    else if (isList(result)) runtime.step(result.length);
    return result;
  }
}

/** What a call gives. Where it fails, that is a value that fails when it is used. */
export function capturing(call: () => Val): Val {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof TemplateError) || error.isLimit) throw error;
    if (!error.isUndefined) return new Failed(error);
    return new Undefined(error.message, { variable: error.variable, failure: error });
  }
}

/** The first undefined argument. What `if` without `else` gives counts as an empty text. */
export function undefinedAmong(
  args: readonly Val[],
  kwargs: Kwargs | undefined,
): Undefined | undefined {
  for (const value of args) if (isMissing(value)) return value;
  if (kwargs === undefined) return undefined;
  for (const value of kwargs.values()) if (isMissing(value)) return value;
  return undefined;
}

function isMissing(value: Val): value is Undefined {
  return value instanceof Undefined && !(value instanceof EmptyUndefined);
}

/** Defines a function of the template language; `names` are separated by blanks, the first is its own. */
export function define(
  names: string,
  signature: string,
  body: BuiltinBody,
  options?: BuiltinOptions,
): Builtin {
  return new Builtin(names, signature, body, options);
}

/** A table of functions under all their names, each also with the prefixes of its collections. */
export function tableOf(
  builtins: readonly Builtin[],
  prefixes: readonly string[] = [],
): ReadonlyMap<string, Builtin> {
  const table = new Map<string, Builtin>();
  for (const builtin of builtins) {
    for (const name of builtin.names) {
      table.set(name, builtin);
      for (const prefix of prefixes) table.set(`${prefix}.${name}`, builtin);
    }
  }
  return table;
}
