/** Field builders: a declaration, with its description, yields the type, the JSON Schema for Ajv and the docs. */

declare const value: unique symbol;

/** How a value written by a user is converted before it is checked; Ansible's argument types. */
export type Kind =
  | 'str'
  | 'path'
  | 'int'
  | 'float'
  | 'bool'
  | 'list'
  | 'dict'
  | 'raw'
  | 'bytes'
  | 'object';

/** A JSON Schema that remembers the TypeScript type it describes. */
export interface Field<T> {
  readonly kind: Kind;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly required: boolean;
  readonly default?: unknown;
  /** Never logged, diffed, stored or shown: the whole value, or its members of these names at any depth. */
  readonly secret: boolean;
  readonly secretMembers?: readonly string[];
  /** Shown in part: without the login in a URL, or everywhere but among the arguments of a result. */
  readonly conceals?: 'login' | 'argument';
  /** Other spellings that users may write. */
  readonly aliases: readonly string[];
  /** The element of a list. */
  readonly element?: Field<unknown>;
  /** The members of an object. */
  readonly shape?: Shape;
  /** Type-level only; never present at run time. */
  readonly [value]?: T;
}

export type Infer<F> = F extends Field<infer T> ? T : never;
export type Shape = Readonly<Record<string, Field<unknown>>>;
type Mapping = Readonly<Record<string, unknown>>;
type Fields<S extends Shape> = { readonly [K in keyof S]: Infer<S[K]> };

interface Rules<T> {
  /** Used when the field is left out. A field with a default is never required. */
  readonly default?: T;
  readonly aliases?: readonly string[];
}
interface StringRules extends Rules<string> {
  readonly pattern?: string;
  readonly minLength?: number;
}
interface NumberRules extends Rules<number> {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

export function string(description: string, rules: StringRules = {}): Field<string> {
  return field('str', description, { type: 'string' }, rules);
}

/** A path on the managed host; a leading `~` and `$VARIABLES` are expanded there. */
export function path(description: string, rules: StringRules = {}): Field<string> {
  return field('path', description, { type: 'string' }, rules);
}

export function integer(description: string, rules: NumberRules = {}): Field<number> {
  return field('int', description, { type: 'integer' }, rules);
}

export function number(description: string, rules: NumberRules = {}): Field<number> {
  return field('float', description, { type: 'number' }, rules);
}

/** A size in bytes: a number, or text such as `10M`. */
export function bytes(description: string, rules: NumberRules = {}): Field<number> {
  return field('bytes', description, { type: 'number' }, rules);
}

export function boolean(description: string, rules: Rules<boolean> = {}): Field<boolean> {
  return field('bool', description, { type: 'boolean' }, rules);
}

export function choice<const T extends string>(
  values: readonly T[],
  description: string,
  rules: Rules<NoInfer<T>> = {},
): Field<T> {
  return field('str', description, { type: 'string', enum: values }, rules);
}

/** A string never to be logged, diffed or stored. */
export function secret(description: string, rules: StringRules = {}): Field<string> {
  return { ...string(description, rules), secret: true };
}

/** A list; text is split at commas and a single value becomes a list of one. */
export function list<T>(
  element: Field<T>,
  description: string,
  rules: Rules<readonly T[]> = {},
): Field<readonly T[]> {
  const schema = { type: 'array', items: element.schema };
  return { ...field<readonly T[]>('list', description, schema, rules), element };
}

/** A free mapping with text keys; JSON text and `k=v` text are accepted too. */
export function dict(description: string, rules: Rules<Mapping> = {}): Field<Mapping> {
  return field('dict', description, { type: 'object' }, rules);
}

/** Any value at all, as it was written. */
export function raw(description: string, rules: Rules<unknown> = {}): Field<unknown> {
  return field('raw', description, {}, rules);
}

export function optional<T>(inner: Field<T>): Field<T | undefined> {
  return { ...inner, required: false };
}

export function object<S extends Shape>(shape: S, description = ''): Field<Fields<S>> {
  const entries = Object.entries(shape);
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: entries.filter(([, member]) => member.required).map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, member]) => [name, member.schema])),
  };
  return { ...field<Fields<S>>('object', description, schema, {}), shape };
}

function field<T>(
  kind: Kind,
  description: string,
  schema: Record<string, unknown>,
  { default: fallback, aliases = [], ...limits }: Rules<T>,
): Field<T> {
  return {
    kind,
    description,
    schema: { ...schema, ...limits },
    required: fallback === undefined,
    ...(fallback !== undefined && { default: fallback }),
    secret: false,
    aliases,
  };
}
