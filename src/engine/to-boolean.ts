import type { Value } from './values.ts';

const TRUE = new Set(['yes', 'on', '1', 'true', 'y', 't']);
const FALSE = new Set(['no', 'off', '0', 'false', 'n', 'f']);

/** Ansible's reading of a keyword that must be true or false. */
export function toBoolean(value: Value): boolean {
  if (typeof value === 'string') return TRUE.has(value.toLowerCase());
  if (typeof value === 'number') return value !== 0;
  return value === true;
}

/** The same for a value that may be neither: undefined then. */
export function asBoolean(value: Value): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).toLowerCase();
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : undefined;
}
