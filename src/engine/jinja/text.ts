import { Float, type Omit, Timestamp, TrustedTemplate, VaultText } from '../values.ts';
import { TemplateError } from './errors.ts';
import { floatText } from './numbers.ts';
import {
  EmptyUndefined,
  isList,
  isMap,
  Markup,
  PyObject,
  Tuple,
  Undefined,
  type Val,
} from './objects.ts';

/** Python's str() of a value. Throws on an undefined one. */
export function textOf(value: Val): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined && value.text() !== '') value.fail();
  if (value instanceof PyObject) return value.text();
  if (value instanceof Timestamp) return value.text;
  return reprOf(value);
}

/** Python's repr() of a value. Throws on an undefined one. */
export function reprOf(value: Val): string {
  if (typeof value === 'string') return quoted(value);
  if (isList(value)) return listRepr(value);
  if (isMap(value)) return mapRepr(value);
  if (value instanceof Undefined) value.fail();
  if (value instanceof Markup) return `Markup(${quoted(value.value)})`;
  if (value instanceof PyObject) return value.text();
  return scalarRepr(value);
}

type Scalar = Exclude<Val, string | PyObject | readonly Val[] | ReadonlyMap<Val, Val>>;

function scalarRepr(value: Scalar): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return numberText(value);
  if (value instanceof Float) return floatText(value.value);
  if (typeof value === 'bigint') return String(value);
  return specialRepr(value);
}

function specialRepr(value: Timestamp | TrustedTemplate | VaultText | Omit): string {
  if (value instanceof Timestamp) return value.text;
  if (value instanceof VaultText) return quoted(value.plain());
  if (value instanceof TrustedTemplate) return quoted(value.text);
  return '<<Omit>>';
}

function numberText(value: number): string {
  return Number.isInteger(value) ? String(BigInt(value)) : floatText(value);
}

function listRepr(list: readonly Val[]): string {
  const inner = list.map(reprOf).join(', ');
  if (!(list instanceof Tuple)) return `[${inner}]`;
  return list.length === 1 ? `(${inner},)` : `(${inner})`;
}

function mapRepr(map: ReadonlyMap<Val, Val>): string {
  const members: string[] = [];
  for (const [key, member] of map) members.push(`${reprOf(key)}: ${reprOf(member)}`);
  return `{${members.join(', ')}}`;
}

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|'/gu, (char) => {
    if (char === "'") return quote === "'" ? "\\'" : char;
    return NAMED_ESCAPES.get(char) ?? codeEscape(char);
  });
  return quote + body + quote;
}

function codeEscape(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** The text of a str argument. Throws TemplateError where the value is no text. */
export function requireText(value: Val, what: string): string {
  if (typeof value === 'string') return value;
  if (value instanceof Markup) return value.value;
  if (value instanceof EmptyUndefined) return '';
  if (value instanceof Undefined) value.fail();
  throw new TemplateError(`${what} must be a string`);
}

const ASTRAL = /[\ud800-\udfff]/;

/** The characters of a text as Python counts them: code points. */
export function characters(text: string): readonly string[] {
  return ASTRAL.test(text) ? Array.from(text) : text.split('');
}

/** The length in code points. */
export function textLength(text: string): number {
  return ASTRAL.test(text) ? Array.from(text).length : text.length;
}

/** Turns an offset in UTF-16 units into one in code points. */
export function pointOffset(text: string, offset: number): number {
  return offset < 0 || !ASTRAL.test(text) ? offset : Array.from(text.slice(0, offset)).length;
}

/** The part from `start` to before `end`, both in code points and not negative. */
export function sliceText(text: string, start: number, end?: number): string {
  return ASTRAL.test(text) ? Array.from(text).slice(start, end).join('') : text.slice(start, end);
}

/** Python's ordering of str: by code point. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!ASTRAL.test(a) && !ASTRAL.test(b)) return a < b ? -1 : 1;
  const left = Array.from(a, (char) => char.codePointAt(0) ?? 0);
  const right = Array.from(b, (char) => char.codePointAt(0) ?? 0);
  const at = left.findIndex((code, index) => code !== right[index]);
  if (at === -1) return -1;
  return (left[at] ?? 0) < (right[at] ?? -1) ? -1 : 1;
}
