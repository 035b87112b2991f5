import { Float, type Omit, Timestamp, TrustedTemplate, VaultText } from '../values.ts';
import { Budget } from './budget.ts';
import { TemplateError } from './errors.ts';
import { DateTime } from './moments.ts';
import { floatText, isFloat, isNumber, makeFloat, makeInt, toNumber } from './numbers.ts';
import {
  isList,
  isMap,
  isText,
  type PyObject,
  Range,
  typeName,
  Undefined,
  type Val,
  type ValMap,
} from './objects.ts';
import { compareText, textOf } from './text.ts';

/** Containers nested deeper than this are refused. */
const MAX_NESTING = 500;

/** Reads JSON as Python does: 1 and 1.0 differ, integers have any size, NaN and Infinity are known. */
export function parseJson(text: string): Val {
  const reader = new JsonReader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

const NUMBER = /(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows no raw control characters.
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;
const WORDS: readonly (readonly [string, Val])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', new Float(Number.NaN)],
  ['Infinity', new Float(Infinity)],
  ['-Infinity', new Float(-Infinity)],
];

class JsonReader {
  readonly #text: string;
  readonly #budget = new Budget();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  #skip(text: string): boolean {
    this.#match(SPACE);
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #fail(): never {
    throw new TemplateError(`the text is no JSON at character ${this.#at + 1}`);
  }

  end(): void {
    this.#match(SPACE);
    if (this.#at < this.#text.length) this.#fail();
  }

  value(nesting: number): Val {
    if (nesting > MAX_NESTING) throw new TemplateError('the JSON is nested too deeply');
    this.#budget.visit();
    if (this.#skip('{')) return this.#object(nesting + 1);
    if (this.#skip('[')) return this.#array(nesting + 1);
    const text = this.#match(STRING);
    if (text !== null) return readText(text[0]);
    const word = WORDS.find(([name]) => this.#skip(name));
    return word === undefined ? this.#number() : word[1];
  }

  #number(): Val {
    const match = this.#match(NUMBER);
    if (match === null) return this.#fail();
    const [whole, digits = '0', fraction, exponent] = match;
    if (fraction === undefined && exponent === undefined) return makeInt(BigInt(digits));
    return makeFloat(Number(whole));
  }

  #array(nesting: number): Val {
    const items: Val[] = [];
    if (this.#skip(']')) return items;
    do items.push(this.value(nesting));
    while (this.#skip(','));
    return this.#skip(']') ? items : this.#fail();
  }

  #object(nesting: number): Val {
    const members = new Map<Val, Val>();
    if (this.#skip('}')) return members;
    do {
      this.#match(SPACE);
      const key = this.#match(STRING) ?? this.#fail();
      if (!this.#skip(':')) this.#fail();
      members.set(readText(key[0]), this.value(nesting));
    } while (this.#skip(','));
    return this.#skip('}') ? members : this.#fail();
  }
}

/** Half of a pair of UTF-16 has no meaning by itself, and no place in UTF-8. */
function readText(quoted: string): string {
  const text = String(JSON.parse(quoted));
  if (!/\p{Surrogate}/u.test(text)) return text;
  throw new TemplateError('Refusing to deserialize an invalid UTF8 string value');
}

export interface JsonStyle {
  /** Spaces per level, or the text itself; undefined for one line. */
  readonly indent?: number | string | undefined;
  readonly sortKeys?: boolean;
  /** Whether characters outside ASCII are escaped. */
  readonly asciiOnly?: boolean;
  readonly separators?: readonly [string, string] | undefined;
}

/** Python's json.dumps. Throws TemplateError on undefined, omit and what JSON cannot say. */
export function dumpJson(value: Val, style: JsonStyle = {}): string {
  return new JsonWriter(style).write(value, 0);
}

class JsonWriter {
  readonly #indent: string | undefined;
  readonly #style: JsonStyle;
  readonly #comma: string;
  readonly #colon: string;
  readonly #budget = new Budget();

  constructor(style: JsonStyle) {
    const { indent } = style;
    this.#style = style;
    this.#indent = typeof indent === 'number' ? ' '.repeat(Math.max(0, indent)) : indent;
    const comma = this.#indent === undefined ? ', ' : ',';
    [this.#comma, this.#colon] = style.separators ?? [comma, ': '];
  }

  write(value: Val, level: number): string {
    if (level > MAX_NESTING) throw new TemplateError('the value is nested too deeply for JSON');
    if (isText(value)) return this.#text(textOf(value));
    if (isNumber(value) && typeof value !== 'boolean') return number(value);
    if (isList(value)) return this.#list(value, level);
    if (isMap(value)) return this.#map(value, level);
    if (value instanceof Range) return this.#range(value, level);
    return value === null || typeof value !== 'object' ? String(value) : this.#special(value);
  }

  #special(value: PyObject | Float | Timestamp | TrustedTemplate | VaultText | Omit): string {
    if (value instanceof Undefined) value.fail();
    if (value instanceof Timestamp) return this.#text(value.text.replace(' ', 'T'));
    if (value instanceof DateTime) return this.#text(value.isoformat());
    if (value instanceof VaultText) return this.#text(value.plain());
    // A variable of a file that nobody has asked for yet.
    if (value instanceof TrustedTemplate) return this.#text(value.text);
    throw new TemplateError(`a value of type '${typeName(value)}' cannot be written as JSON`);
  }

  #range(range: Range, level: number): string {
    this.#budget.visit(range.length);
    return this.#list(
      Array.from({ length: range.length }, (_, i) => range.at(i)),
      level,
    );
  }

  #text(text: string): string {
    this.#budget.spend(text.length);
    const quoted = JSON.stringify(text);
    if (this.#style.asciiOnly === false) return quoted;
    return quoted.replace(
      /[\x80-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  }

  #list(list: readonly Val[], level: number): string {
    this.#budget.visit(list.length);
    return this.#enclosed(
      '[',
      list.map((item) => this.write(item, level + 1)),
      ']',
      level,
    );
  }

  #map(map: ValMap, level: number): string {
    this.#budget.visit(map.size);
    const members = [...map].map(([key, member]) => [keyText(key), member] as const);
    if (this.#style.sortKeys) members.sort(([a], [b]) => compareText(a, b));
    const texts = members.map(
      ([key, member]) => this.#text(key) + this.#colon + this.write(member, level + 1),
    );
    return this.#enclosed('{', texts, '}', level);
  }

  #enclosed(open: string, parts: readonly string[], close: string, level: number): string {
    if (parts.length === 0) return open + close;
    if (this.#indent === undefined) return open + parts.join(this.#comma) + close;
    this.#budget.spend(this.#indent.length * (level + 1) * parts.length);
    const inner = `\n${this.#indent.repeat(level + 1)}`;
    const outer = `\n${this.#indent.repeat(level)}`;
    return open + inner + parts.join(this.#comma + inner) + outer + close;
  }
}

function number(value: number | bigint | Float): string {
  if (!isFloat(value)) return String(BigInt(value));
  const plain = toNumber(value);
  if (Number.isNaN(plain)) return 'NaN';
  if (!Number.isFinite(plain)) return plain > 0 ? 'Infinity' : '-Infinity';
  return floatText(plain);
}

function keyText(key: Val): string {
  if (isText(key)) return textOf(key);
  if (key === null) return 'null';
  if (typeof key === 'boolean') return String(key);
  if (isNumber(key)) return number(key);
  throw new TemplateError(`a key of type '${typeName(key)}' cannot be written as JSON`);
}
