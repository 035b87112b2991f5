/** Ansible's argument conversions: how a value written by a user becomes one of the declared type. */
import type { Field, Kind } from './schema.ts';

/** A value that cannot be read as the declared type. The message completes "argument: …". */
export class Unfit extends Error {
  override readonly name = 'Unfit';
}

const TRUE_WORDS = ['yes', 'on', '1', 'true', 't', 'y'];
const FALSE_WORDS = ['no', 'off', '0', 'false', 'f', 'n'];
const BYTE_UNITS = 'KMGTPEZY';

/**
 * Reads one value as the type of a field; the elements of a list and the members of an object are left as
 * they are. Throws Unfit. A number that is an object (an engine `Float`) counts by its text.
 */
export function coerce(field: Pick<Field<unknown>, 'kind' | 'schema'>, value: unknown): unknown {
  if (field.kind === 'str') return chosen(field.schema['enum'], toText(value));
  return CONVERSIONS[field.kind](value);
}

const CONVERSIONS: Readonly<Record<Kind, (value: unknown) => unknown>> = {
  str: toText,
  path: toText,
  int: toInteger,
  float: toNumber,
  bool: toBoolean,
  list: toList,
  dict: toDict,
  object: toDict,
  bytes: toBytes,
  raw: (value) => value,
};

/** Python's spelling of a scalar; null is empty. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return '';
  if (isContainer(value)) throw new Unfit(`${described(value)} is not text`);
  return String(value);
}

/** YAML reads an unquoted `yes` or `no` as a boolean: where exactly one such word is a choice, it was meant. */
function chosen(choices: unknown, text: string): string {
  if (!Array.isArray(choices) || choices.includes(text)) return text;
  if (text !== 'True' && text !== 'False') return text;
  const words = text === 'True' ? TRUE_WORDS : FALSE_WORDS;
  const [only, ...others] = words.filter((word) => choices.includes(word));
  return only !== undefined && others.length === 0 ? only : text;
}

function toBoolean(value: unknown): boolean {
  const word = isContainer(value) ? '' : String(value).trim().toLowerCase();
  if (TRUE_WORDS.includes(word) || word === '1.0') return true;
  if (FALSE_WORDS.includes(word) || word === '0.0') return false;
  throw new Unfit(`${described(value)} is neither yes nor no`);
}

function toInteger(value: unknown): number {
  const number = parseNumber(value);
  if (Number.isInteger(number)) return number;
  throw new Unfit(`${described(value)} is not a whole number`);
}

function toNumber(value: unknown): number {
  const number = parseNumber(value);
  if (!Number.isNaN(number)) return number;
  throw new Unfit(`${described(value)} is not a number`);
}

function parseNumber(value: unknown): number {
  if (typeof value === 'boolean') return Number(value);
  if (isContainer(value) || value === null) return Number.NaN;
  const text = String(value)
    .trim()
    .replace(/(?<=\d)_(?=\d)/g, '');
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
}

function toBytes(value: unknown): number {
  const text = isContainer(value) ? '' : String(value).trim();
  const match = /^(\d*\.?\d+)\s*([KMGTPEZY]?)B?$/i.exec(text);
  if (match === null || text.endsWith('b')) {
    throw new Unfit(`${described(value)} is not a size such as 10M`);
  }
  const unit = (match[2] ?? '').toUpperCase();
  const power = unit === '' ? 0 : BYTE_UNITS.indexOf(unit) + 1;
  return Math.round(Number(match[1]) * 1024 ** power);
}

function toList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return value.split(',').map((part) => part.trim());
  if (value === null || isContainer(value)) throw new Unfit(`${described(value)} is not a list`);
  return [toText(value)];
}

function toDict(value: unknown): Readonly<Record<string, unknown>> {
  if (value instanceof Map) return Object.fromEntries(value);
  if (typeof value === 'string') return parseDictText(value);
  if (isPlainObject(value)) return value;
  throw new Unfit(`${described(value)} is not a mapping`);
}

function parseDictText(text: string): Record<string, unknown> {
  const parsed = text.trim().startsWith('{') ? parseJson(text) : parsePairs(text);
  if (parsed !== undefined) return parsed;
  throw new Unfit(`"${text}" is neither a mapping, nor JSON, nor a=b, c=d`);
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isPlainObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** `a=b, c='d e'`: pairs apart by commas or blanks; quotes group, a backslash takes the next character. */
function parsePairs(text: string): Record<string, unknown> | undefined {
  const words = text.match(/(?:[^\s,'"\\]|\\.|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")+/gs) ?? [];
  const pairs = words.map((word) => word.replace(/\\(.)|['"]/gs, '$1'));
  if (pairs.length === 0 || pairs.some((pair) => pair.indexOf('=') < 1)) return undefined;
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s, 2)));
}

/** Whether a value is a mapping written as an object. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isContainer(value: unknown): boolean {
  return Array.isArray(value) || value instanceof Map || isPlainObject(value);
}

function described(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isContainer(value) ? 'a mapping' : `"${String(value)}"`;
}
