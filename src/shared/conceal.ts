import type { Field } from './schema.ts';

/** A URL, which is shown without the login in it. */
export function withoutLogin<T>(field: Field<T>): Field<T> {
  return { ...field, conceals: 'login' };
}

/** A content, which is not shown among the arguments of a result. */
export function unlisted<T>(field: Field<T>): Field<T> {
  return { ...field, conceals: 'argument' };
}
