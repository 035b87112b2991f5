import { table } from '../../shared/table.ts';
import type { Value } from '../values.ts';
import { floatValue } from '../yaml-scalar.ts';

/** A text that is no Python literal. Never leaves this file. */
class NoLiteral extends Error {}

const TOKEN =
  /(?:[ \t\r\n]|\\\r?\n|#[^\n]*)*(?:([A-Za-z_][A-Za-z_0-9]*(?=['"]))?('''[\s\S]*?'''|"""[\s\S]*?"""|'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*")|(0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:[eE][-+]?\d(?:_?\d)*)?[jJ]?)(?![\w.])|([A-Za-z_]\w*)|(\.\.\.|[-+()[\]{},:])|$)/y;
const ESCAPES: Readonly<Record<string, string>> = table({
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
});
const WORDS: ReadonlyMap<string, Value> = new Map([
  ['True', true],
  ['False', false],
  ['None', null],
] as const);
const MAX_DEPTH = 100;

/**
 * The value of a Python literal as `ast.literal_eval` gives it, or undefined where the text is none.
 * Tuples and sets become lists; bytes, imaginary numbers and the ellipsis become text.
 */
export function parsePythonLiteral(text: string): Value | undefined {
  try {
    const reader = new LiteralReader(text.replace(/^[ \t]+/, ''));
    const value = reader.expression(0);
    reader.expectEnd();
    return value;
  } catch (error) {
    if (error instanceof NoLiteral) return undefined;
    throw error;
  }
}

type Token =
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'sign'; readonly text: string }
  | { readonly kind: 'end'; readonly text: '' };

class LiteralReader {
  readonly #tokens: Token[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  /** One value, or a tuple where commas follow it at the top. */
  expression(depth: number): Value {
    const first = this.#value(depth);
    if (this.#peek() !== ',') return first;
    const items = [first];
    while (this.#take(',')) {
      if (this.#isEnd()) break;
      items.push(this.#value(depth));
    }
    return items;
  }

  expectEnd(): void {
    if (!this.#isEnd()) throw new NoLiteral();
  }

  #value(depth: number): Value {
    if (depth > MAX_DEPTH) throw new NoLiteral();
    const token = this.#tokens[this.#next++];
    if (token?.kind === 'string') return this.#strings(token.text);
    if (token?.kind === 'number') return parseNumber(token.text);
    if (token?.kind === 'word') return this.#word(token.text);
    if (token?.kind !== 'sign') throw new NoLiteral();
    if (token.text === '-' || token.text === '+') return this.#signed(token.text, depth);
    if (token.text === '...') return token.text;
    if (token.text === '[') return this.#items(']', depth);
    if (token.text === '(') return this.#parenthesis(depth);
    if (token.text === '{') return this.#braces(depth);
    throw new NoLiteral();
  }

  #strings(first: string): string {
    let text = first;
    for (
      let token = this.#tokens[this.#next];
      token?.kind === 'string';
      token = this.#tokens[this.#next]
    ) {
      text += token.text;
      this.#next += 1;
    }
    return text;
  }

  #word(word: string): Value {
    const value = WORDS.get(word);
    if (value !== undefined) return value;
    if (word === 'set' && this.#take('(') && this.#take(')')) return [];
    throw new NoLiteral();
  }

  #signed(sign: string, depth: number): Value {
    if (this.#tokens[this.#next]?.kind !== 'number') throw new NoLiteral();
    const value = this.#value(depth + 1);
    if (sign === '+') return value;
    if (typeof value === 'bigint') return -value;
    if (typeof value === 'string') return `(-0-${value})`;
    return parseNegative(value);
  }

  #items(close: string, depth: number): Value[] {
    const items: Value[] = [];
    while (!this.#take(close)) {
      items.push(this.#value(depth + 1));
      if (!this.#take(',') && this.#peek() !== close) throw new NoLiteral();
    }
    return items;
  }

  /** A tuple, or one value in parentheses. */
  #parenthesis(depth: number): Value {
    if (this.#take(')')) return [];
    const value = this.#value(depth + 1);
    if (this.#take(')')) return value;
    if (!this.#take(',')) throw new NoLiteral();
    return [value, ...this.#items(')', depth)];
  }

  #braces(depth: number): Value {
    if (this.#take('}')) return new Map();
    const first = this.#value(depth + 1);
    if (this.#take(':')) return this.#dict(first, depth);
    const more = this.#take(',') ? this.#items('}', depth) : this.#close('}');
    return [...new Set([first, ...more])];
  }

  #dict(firstKey: Value, depth: number): Value {
    const dict = new Map([[firstKey, this.#value(depth + 1)]]);
    while (!this.#take('}')) {
      if (!this.#take(',')) throw new NoLiteral();
      if (this.#take('}')) break;
      const key = this.#value(depth + 1);
      if (!this.#take(':')) throw new NoLiteral();
      dict.set(key, this.#value(depth + 1));
    }
    return dict;
  }

  #close(sign: string): Value[] {
    if (!this.#take(sign)) throw new NoLiteral();
    return [];
  }

  #peek(): string | undefined {
    const token = this.#tokens[this.#next];
    return token?.kind === 'sign' ? token.text : undefined;
  }

  #take(sign: string): boolean {
    if (this.#peek() !== sign) return false;
    this.#next += 1;
    return true;
  }

  #isEnd(): boolean {
    return this.#tokens[this.#next]?.kind === 'end';
  }
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  for (;;) {
    const match = pattern.exec(text);
    if (match === null) throw new NoLiteral();
    const token = tokenOf(match);
    tokens.push(token);
    if (token.kind === 'end') return tokens;
  }
}

function tokenOf([, prefix, quoted, number, word, sign]: RegExpExecArray): Token {
  if (quoted !== undefined) return { kind: 'string', text: unquote(quoted, prefix ?? '') };
  if (number !== undefined && number !== '') return { kind: 'number', text: number };
  if (word !== undefined) return { kind: 'word', text: word };
  if (sign !== undefined) return { kind: 'sign', text: sign };
  return { kind: 'end', text: '' };
}

function unquote(quoted: string, prefix: string): string {
  if (!/^(?:r|u|b|br|rb)?$/i.test(prefix)) throw new NoLiteral();
  const width = /^(?:'''|""")/.test(quoted) ? 3 : 1;
  const inner = quoted.slice(width, -width);
  if (/r/i.test(prefix)) return inner;
  return inner.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g,
    (all, hex2?: string, hex4?: string, hex8?: string, octal?: string, other = '') => {
      const hex = hex2 ?? hex4 ?? hex8;
      if (hex !== undefined) return fromCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return fromCode(Number.parseInt(octal, 8));
      if ('xuUN'.includes(other)) throw new NoLiteral();
      return ESCAPES[other] ?? all;
    },
  );
}

function fromCode(code: number): string {
  if (code > 0x10ffff) throw new NoLiteral();
  return String.fromCodePoint(code);
}

function parseNumber(text: string): Value {
  const digits = text.replaceAll('_', '');
  if (/j$/i.test(digits) && !/^0[xob]/i.test(digits)) return `${Number(digits.slice(0, -1))}j`;
  if (/^0[xob]/i.test(digits)) return narrow(BigInt(digits));
  if (/^\d+$/.test(digits)) {
    if (/^0+[1-9]/.test(digits)) throw new NoLiteral();
    return narrow(BigInt(digits));
  }
  return floatValue(Number(digits));
}

function parseNegative(value: Value): Value {
  if (typeof value === 'number') return value === 0 ? 0 : -value;
  if (typeof value === 'object' && value !== null && 'value' in value)
    return floatValue(-value.value);
  throw new NoLiteral();
}

function narrow(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}
