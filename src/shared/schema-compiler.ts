/** Functions that check values against JSON Schemas: the only door to `ajv`. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Ajv, Options } from 'ajv';
import { compiledSchemas, type Validate } from './compiled-schemas.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** Our schemas are checked by a test and are small: checking them again and optimising would take most of a start. */
export const COMPILER: Options = {
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  meta: false,
  validateSchema: false,
  inlineRefs: false,
  code: { optimize: false },
};

const known = new WeakMap<Schema, Validate>();
let compiler: Ajv | undefined;

/** The function that checks values against a schema. */
export function validatorOf(schema: Schema): Validate {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const validate = compiledSchemas.get(schemaKey(schema))?.() ?? compile(schema);
  known.set(schema, validate);
  return validate;
}

/** What a schema compiled in the build is known by. */
export function schemaKey(schema: Schema): string {
  return createHash('sha1').update(JSON.stringify(schema)).digest('base64url');
}

/** Schemas of a user's own modules. The compiler is large, so it is loaded when the first of them is there. */
function compile(schema: Schema): Validate {
  if (compiler === undefined) {
    const load = createRequire(import.meta.url);
    const ajv = load('ajv') as typeof import('ajv');
    compiler = new ajv.Ajv(COMPILER);
  }
  return compiler.compile(schema);
}
