import { SyntaxFault } from './errors.ts';
import { makeFloat, makeInt } from './numbers.ts';
import type { Val } from './objects.ts';

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', ''],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

const ESCAPE = /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|([0-7]{1,3})|([\s\S]))/g;

/** The value of a quoted literal. An unknown escape keeps its backslash, as Python's do. */
export function unquote(literal: string, literalBackslashes: boolean, at: number): string {
  const inner = literal.slice(1, -1);
  if (literalBackslashes || !inner.includes('\\')) return inner;
  return inner.replace(ESCAPE, (whole, hex2, hex4, hex8, octal, char) => {
    const hex: string | undefined = hex2 ?? hex4 ?? hex8;
    if (hex !== undefined) return fromCode(Number.parseInt(hex, 16), at);
    if (octal !== undefined) return fromCode(Number.parseInt(octal, 8), at);
    if ('xuUN'.includes(char)) throw new SyntaxFault(`truncated escape "\\${char}"`, at);
    return SIMPLE_ESCAPES.get(char) ?? whole;
  });
}

function fromCode(code: number, at: number): string {
  if (code > 0x10ffff) throw new SyntaxFault('illegal Unicode character in a string', at);
  return String.fromCodePoint(code);
}

/** The value of an integer literal in any of Python's bases. */
export function integerLiteral(text: string): number | bigint {
  const digits = text.replaceAll('_', '').toLowerCase();
  return makeInt(BigInt(digits));
}

export function floatLiteral(text: string): Val {
  return makeFloat(Number(text.replaceAll('_', '')));
}
