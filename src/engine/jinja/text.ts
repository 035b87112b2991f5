import { Float, type Omit, Timestamp, TrustedTemplate, VaultText } from '../values.ts';
import { Budget } from './budget.ts';
import { TemplateError } from './errors.ts';
import { floatText } from './numbers.ts';
import {
  isList,
  isMap,
  Markup,
  PyObject,
  Tuple,
  typeName,
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
export function reprOf(value: Val, budget?: Budget): string {
  if (typeof value === 'string') return quoted(value, budget);
  if (isList(value)) return listRepr(value, budget ?? new Budget());
  if (isMap(value)) return mapRepr(value, budget ?? new Budget());
  if (value instanceof Undefined) value.fail();
  if (value instanceof Markup) return `Markup(${quoted(value.value)})`;
  if (value instanceof PyObject) return value.repr();
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

function listRepr(list: readonly Val[], budget: Budget): string {
  budget.visit(list.length);
  const inner = list.map((item) => reprOf(item, budget)).join(', ');
  if (!(list instanceof Tuple)) return `[${inner}]`;
  return list.length === 1 ? `(${inner},)` : `(${inner})`;
}

function mapRepr(map: ReadonlyMap<Val, Val>, budget: Budget): string {
  budget.visit(map.size);
  const members: string[] = [];
  for (const [key, member] of map)
    members.push(`${reprOf(key, budget)}: ${reprOf(member, budget)}`);
  return `{${members.join(', ')}}`;
}

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function quoted(text: string, budget?: Budget): string {
  budget?.spend(text.length);
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

/** A value as messages name it: in short, and never what is inside a list or dict. */
export function labelOf(value: Val): string {
  if (isList(value) || isMap(value) || value instanceof Undefined) return typeName(value);
  const text = textOf(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** The text of a str argument. Throws TemplateError where the value is no text. */
export function requireText(value: Val, what: string): string {
  if (typeof value === 'string') return value;
  if (value instanceof Markup) return value.value;
  if (value instanceof Undefined) value.fail();
  throw new TemplateError(`${what} must be a string`);
}

const ASTRAL = /[\ud800-\udfff]/;

/** Characters into which a text may be taken apart, and parts into which it may be split. */
const MAX_APART = 10_000_000;
const MAX_PARTS = 3_000_000;

/** The characters of a text as Python counts them: code points. Throws TemplateError where they are too many. */
export function characters(text: string): string[] {
  if (text.length > MAX_APART) throw new TemplateError('the text is too large to be taken apart');
  return ASTRAL.test(text) ? Array.from(text) : text.split('');
}

/** The character at an index, from the end where it is negative. */
export function characterAt(text: string, index: number): string | undefined {
  return ASTRAL.test(text) ? characters(text).at(index) : text.at(index);
}

/** The parts of a text between separators. Throws TemplateError where they are too many. */
export function partsOf(text: string, separator: string | RegExp): string[] {
  const parts = text.split(separator, MAX_PARTS);
  if (parts.length === MAX_PARTS)
    throw new TemplateError('the text has too many parts: it is too large');
  return parts;
}

/** The length in code points. */
export function textLength(text: string): number {
  if (!ASTRAL.test(text)) return text.length;
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** Turns an offset in UTF-16 units into one in code points. */
export function pointOffset(text: string, offset: number): number {
  return offset < 0 || !ASTRAL.test(text) ? offset : Array.from(text.slice(0, offset)).length;
}

/** The part from `start` to before `end`, both in code points and not negative. */
export function sliceText(text: string, start: number, end?: number): string {
  return ASTRAL.test(text) ? characters(text).slice(start, end).join('') : text.slice(start, end);
}

/** Python's ordering of str: by code point. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!ASTRAL.test(a) && !ASTRAL.test(b)) return a < b ? -1 : 1;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  return codeRank(a, at) < codeRank(b, at) ? -1 : 1;
}

/** Where a UTF-16 unit stands among code points: halves of pairs after all others, the end of the text first. */
function codeRank(text: string, at: number): number {
  const unit = at < text.length ? text.charCodeAt(at) : -1;
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
