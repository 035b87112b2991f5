import { table } from './table.ts';

/** Backslash escapes as Python's string literals have them. */

const ESCAPES: Readonly<Record<string, string>> = table({
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
});

/** The text with its escapes replaced by the characters that they stand for; unknown ones stay. */
export function decodeEscapes(value: string): string {
  return value.replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|([0-7]{1,3})|([\\'"abfnrtv]))/gi,
    (...m) => {
      const [, hex, unicode, octal, letter = ''] = m as (string | undefined)[]; // The groups of the pattern.
      if (hex !== undefined || unicode !== undefined) {
        return String.fromCodePoint(Number.parseInt(hex ?? unicode ?? '', 16));
      }
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      return ESCAPES[letter] ?? letter;
    },
  );
}
