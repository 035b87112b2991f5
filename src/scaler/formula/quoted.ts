/** Texts in quotes, with the escapes of Go. */
import { FormulaFault } from './formula-error.ts';
import { type Scanner, take } from './scanner.ts';

const QUOTED = /"((?:[^"\\\n]|\\[^\n])*)"|'((?:[^'\\\n]|\\[^\n])*)'/y;
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.))/gsu;
const SIGNS: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** The text that begins here. Throws FormulaFault where it does not end, or has an unknown escape. */
export function quoted(scanner: Scanner): string {
  const start = scanner.index;
  const found = take(scanner, QUOTED) ?? unclosed(scanner);
  return found
    .slice(1, -1)
    .replace(ESCAPE, (_, x?: string, u?: string, U?: string, octal?: string, sign = '') => {
      const hexadecimal = x ?? u ?? U;
      if (hexadecimal !== undefined) return characterOf(Number.parseInt(hexadecimal, 16), start);
      if (octal !== undefined) return characterOf(Number.parseInt(octal, 8), start);
      return SIGNS[sign] ?? refuse(`\\${sign}`, start);
    });
}

function unclosed(scanner: Scanner): never {
  const rest = scanner.expr.slice(scanner.index + 1);
  throw new FormulaFault(`unclosed quote after "${rest}"`, scanner.expr.length);
}

function characterOf(code: number, start: number): string {
  return code > 0x10_ffff ? refuse('a character', start) : String.fromCodePoint(code);
}

function refuse(what: string, start: number): never {
  throw new FormulaFault(
    `the text has ${what}, which stands for nothing`,
    start,
    'write \\\\ for \\',
  );
}
