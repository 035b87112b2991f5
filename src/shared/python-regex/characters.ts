/** Characters and sets of Python's regular expressions, as JavaScript's `v` mode writes them. */

import { table } from '../table.ts';
import type { Scanner } from './scanner.ts';

/** How a part of a pattern reads characters. */
export interface CharacterMode {
  /** Letters stand for both cases, written out because a flag cannot hold for a part of a pattern. */
  readonly bothCases: boolean;
  /** `\w`, `\d`, `\s`, `\b` and case know ASCII only, as in patterns of bytes. */
  readonly ascii: boolean;
}

const WHITE = '\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const SETS = {
  ascii: { d: '0-9', s: '\\t-\\r ', w: 'a-zA-Z0-9_' },
  unicode: { d: '\\p{Nd}', s: WHITE, w: '\\p{L}\\p{N}_' },
};
const CONTROL: Readonly<Record<string, string>> = table({
  a: '\x07',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
});

/** `[…]` for `\d`, `\s`, `\w` and their opposites; undefined for any other letter. */
export function namedSet(letter: string, { ascii }: CharacterMode): string | undefined {
  const name = letter.toLowerCase();
  if (name !== 'd' && name !== 's' && name !== 'w') return undefined;
  const set = (ascii ? SETS.ascii : SETS.unicode)[name];
  return letter === name ? `[${set}]` : `[^${set}]`;
}

/** One character outside a class. */
export function literal(char: string, mode: CharacterMode): string {
  const cases = mode.bothCases ? otherCases(char, mode) : [];
  if (cases.length > 0) return `[${[char, ...cases].map(inClass).join('')}]`;
  return /[\^$\\.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}

/** The members of a range of a class (of one character where both ends are equal). */
export function classRange(from: string, to: string, mode: CharacterMode): string {
  const spans = [[from, to]];
  if (mode.bothCases && from === to) spans.push(...otherCases(from, mode).map((c) => [c, c]));
  else if (mode.bothCases)
    spans.push(...flipped(from, to, 'a', 'z'), ...flipped(from, to, 'A', 'Z'));
  return spans
    .map(([a = '', b = '']) => (a === b ? inClass(a) : `${inClass(a)}-${inClass(b)}`))
    .join('');
}

function inClass(char: string): string {
  if (/^[A-Za-z0-9]$/.test(char)) return char;
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The part of a range that lies between two ASCII letters, in the other case. */
function flipped(from: string, to: string, first: string, last: string): string[][] {
  const low = from > first ? from : first;
  const high = to < last ? to : last;
  const flip = (char: string) => String.fromCharCode(char.charCodeAt(0) ^ 32);
  return low <= high ? [[flip(low), flip(high)]] : [];
}

function otherCases(char: string, { ascii }: CharacterMode): string[] {
  if (ascii && char > '\x7f') return [];
  const others = [char.toLowerCase(), char.toUpperCase()];
  return others.filter((other) => other !== char && [...other].length === 1);
}

/** Reads the rest of an escape that stands for one character: `n`, `x41`, `u00e9`, `012`, `.`. */
export function escapedCharacter(scanner: Scanner): string {
  const octal = scanner.match(/0[0-7]{0,2}|[1-3][0-7]{2}/y);
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal[0], 8));
  const hexadecimal = scanner.match(
    /x[\da-fA-F]{2}|u[\da-fA-F]{4}|U00(?:0[\da-fA-F]|10)[\da-fA-F]{4}/y,
  );
  if (hexadecimal !== undefined) {
    return String.fromCodePoint(Number.parseInt(hexadecimal[0].slice(1), 16));
  }
  const letter = scanner.next();
  const control = CONTROL[letter];
  if (control === undefined && /[A-Za-z0-9]/.test(letter)) {
    throw scanner.wrong(`bad escape \\${letter}`);
  }
  return control ?? letter;
}
