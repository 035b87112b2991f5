/** Makers of validators that were compiled when the program was built. Empty where it runs from its sources. */
import type { ValidateFunction } from 'ajv';

/** By `schemaKey`; the build puts its own module in the place of this one (scripts/compile-schemas.ts). */
export const compiledSchemas: ReadonlyMap<string, () => ValidateFunction> = new Map();
