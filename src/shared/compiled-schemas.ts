/** Checks a value; what is wrong with it is in `errors` afterwards. */
export interface Validate {
  (value: unknown): boolean;
  errors?: readonly object[] | null;
}

/**
 * Makers of the functions that were compiled when the program was built, by `schemaKey`. The build puts its own module in
 * the place of this one (scripts/compile-schemas.ts); there are none where the program runs from its sources.
 */
export const compiledSchemas: ReadonlyMap<string, () => Validate> = new Map();
