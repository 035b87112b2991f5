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
  /** Whether the result depends on more than the arguments and variables. */
  readonly impure?: boolean;
}

/** One function of the template language, with its aliases. */
export class Builtin implements Callback {
  readonly name: string;
  readonly names: readonly string[];
  readonly acceptsUndefined: boolean;
  readonly #impure: boolean;
  readonly #signature: Signature;
  readonly #body: BuiltinBody;

  constructor(names: string, signature: string, body: BuiltinBody, options: BuiltinOptions = {}) {
    this.names = names.split(' ');
    this.name = this.names[0] ?? names;
    this.acceptsUndefined = options.acceptsUndefined ?? false;
    this.#impure = options.impure ?? false;
    this.#signature = parseSignature(signature);
    this.#body = body;
  }

  /** Calls it. Throws TemplateError on arguments that do not fit and on undefined ones. */
  invoke(runtime: Runtime, args: readonly Val[], kwargs?: Kwargs): Val {
    runtime.step();
    if (!this.acceptsUndefined) refuseUndefined(args, kwargs);
    else if (args[0] instanceof Failed) args[0].fail();
    if (this.#impure) runtime.requireImpure(this.name);
    const result = this.#body(runtime, ...bind(this.name, this.#signature, args, kwargs));
    // Whatever it is that makes them, texts and lists count as work and have an end.
    if (typeof result === 'string') runtime.checkSize(result.length);
    else if (isList(result)) runtime.step(result.length);
    return result;
  }
}

function refuseUndefined(args: readonly Val[], kwargs: Kwargs | undefined): void {
  for (const value of args) if (value instanceof Undefined) refuse(value);
  if (kwargs === undefined) return;
  for (const value of kwargs.values()) if (value instanceof Undefined) refuse(value);
}

function refuse(value: Undefined): void {
  if (!(value instanceof EmptyUndefined)) value.fail();
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
