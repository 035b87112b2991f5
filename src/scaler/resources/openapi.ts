/**
 * Builders of structural schemas (Kubernetes' OpenAPI v3 of custom resources): one declaration yields the
 * TypeScript type, the schema in the CustomResourceDefinition and the reference page.
 */

declare const value: unique symbol;

/** JSON as the API server takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Schema<T> {
  readonly json: JsonSchema;
  readonly isRequired: boolean;
  /** Type-level only; never present at run time. */
  readonly [value]?: T;
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never;
type Shape = Readonly<Record<string, Schema<unknown>>>;
type RequiredKeys<S extends Shape> = {
  [K in keyof S]: undefined extends TypeOf<S[K]> ? never : K;
}[keyof S];
type Members<S extends Shape> = { readonly [K in RequiredKeys<S>]: TypeOf<S[K]> } & {
  readonly [K in Exclude<keyof S, RequiredKeys<S>>]?: TypeOf<S[K]>;
};

/** A check in the Common Expression Language, run by the API server. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
}

export function str(
  description: string,
  rules: { minLength?: number; default?: string; format?: string } = {},
): Schema<string> {
  return schema({ type: 'string', description, ...rules });
}

export function oneOf<const T extends string>(
  values: readonly T[],
  description: string,
  rules: { default?: NoInfer<T> } = {},
): Schema<T> {
  return schema({ type: 'string', description, enum: values, ...rules });
}

export function int32(
  description: string,
  rules: { minimum?: number; maximum?: number } = {},
): Schema<number> {
  return schema({ type: 'integer', format: 'int32', description, ...rules });
}

export function int64(description: string): Schema<number> {
  return schema({ type: 'integer', format: 'int64', description });
}

export function float(description: string): Schema<number> {
  return schema({ type: 'number', description });
}

export function bool(description: string): Schema<boolean> {
  return schema({ type: 'boolean', description });
}

/** RFC 3339. */
export function time(description: string): Schema<string> {
  return schema({ type: 'string', format: 'date-time', description });
}

export function list<T>(
  items: Schema<T>,
  description: string,
  rules: { minItems?: number } = {},
): Schema<readonly T[]> {
  return schema({ type: 'array', description, items: items.json, ...rules });
}

/** An object whose keys are free. */
export function mapOf<T>(
  values: Schema<T>,
  description: string,
): Schema<Readonly<Record<string, T>>> {
  return schema({ type: 'object', description, additionalProperties: values.json });
}

export function object<S extends Shape>(
  shape: S,
  description: string,
  rules: readonly CelRule[] = [],
): Schema<Members<S>> {
  const entries = Object.entries(shape);
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return schema({
    type: 'object',
    description,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(entries.map(([name, { json }]) => [name, json])),
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  });
}

/** An object that another API defines and checks; `T` is its type. */
export function foreign<T>(description: string, required: readonly string[] = []): Schema<T> {
  return schema({
    type: 'object',
    description,
    ...(required.length > 0 && { required }),
    'x-kubernetes-preserve-unknown-fields': true,
  });
}

export function optional<T>(of: Schema<T>): Schema<T | undefined> {
  return { ...of, isRequired: false };
}

function schema<T>(json: JsonSchema): Schema<T> {
  return { json, isRequired: true };
}
