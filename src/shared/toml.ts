/** The one door to TOML: tables as plain objects, integers as bigint so that floats stay floats. */
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';

export type TomlValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | readonly TomlValue[]
  | TomlTable;
export interface TomlTable {
  readonly [key: string]: TomlValue;
}

/** Reads a document. Throws Error with line and column where it is malformed. */
export function parseToml(text: string): TomlTable {
  return parse(text, { integersAsBigInt: true, unsafeKeyBehaviour: 'throw' });
}

/** Writes a document. Tables keep their order; comments are not part of a table. */
export function renderToml(table: TomlTable): string {
  return `${stringify(table, { numbersAsFloat: true }).trimEnd()}\n`;
}

export function isTomlTable(value: unknown): value is TomlTable {
  if (typeof value !== 'object' || value === null) return false;
  return !Array.isArray(value) && !(value instanceof Date);
}

/** Whether two documents say the same, whatever the order and the notation. Throws Error where one is malformed. */
export function isSameToml(a: string, b: string): boolean {
  return isDeepStrictEqual(parseToml(a), parseToml(b));
}

/** Both tables in one: where both have a table it is merged in turn, anything else of `over` replaces. */
export function mergeToml(under: TomlTable, over: TomlTable): TomlTable {
  const merged: Record<string, TomlValue> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const old = Object.hasOwn(under, key) ? under[key] : undefined;
    merged[key] = isTomlTable(old) && isTomlTable(value) ? mergeToml(old, value) : value;
  }
  return merged;
}

/** The value at a path of keys, or undefined. */
export function tomlAt(table: TomlTable, path: readonly string[]): TomlValue | undefined {
  const [key = '', ...rest] = path;
  const value = Object.hasOwn(table, key) ? table[key] : undefined;
  if (rest.length === 0) return value;
  return isTomlTable(value) ? tomlAt(value, rest) : undefined;
}

/** A table that has nothing but a value at a path of keys. */
export function tomlWith(path: readonly string[], value: TomlValue): TomlTable {
  const [key = '', ...rest] = path;
  return { [key]: rest.length === 0 ? value : tomlWith(rest, value) };
}

/** Data of a playbook as TOML: whole numbers are integers. Throws TypeError on null, which TOML does not know. */
export function tomlOf(data: unknown): TomlValue {
  if (typeof data === 'number') return Number.isInteger(data) ? BigInt(data) : data;
  if (Array.isArray(data)) return data.map(tomlOf);
  if (isTomlTable(data)) {
    return Object.fromEntries(Object.entries(data).map(([key, each]) => [key, tomlOf(each)]));
  }
  if (['string', 'boolean', 'bigint'].includes(typeof data)) return data as TomlValue; // Just these.
  throw new TypeError(`TOML cannot hold ${String(data)}`);
}
