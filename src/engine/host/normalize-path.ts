import { posix } from 'node:path';

/** A path without `//`, `.`, `..` and a final slash. */
export function normalizePath(path: string): string {
  return posix.normalize(path).replace(/(.)\/$/, '$1');
}
