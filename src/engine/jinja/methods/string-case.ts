import { type Builtin, define } from '../builtin.ts';
import type { Val } from '../objects.ts';
import { characters, requireText } from '../text.ts';

const text = (value: Val) => requireText(value, 'self');

/** `str.title`: the first letter of every run of letters in upper case, the others in lower. */
export function titleCase(value: string): string {
  return value.replace(/\p{L}[\p{L}\p{M}]*/gu, capitalize);
}

/** `str.capitalize`: the first character in upper case, the others in lower. */
export function capitalize(value: string): string {
  const first = String.fromCodePoint(value.codePointAt(0) ?? 0);
  return value === '' ? '' : first.toUpperCase() + value.slice(first.length).toLowerCase();
}

function swapCase(value: string): string {
  return value.replace(/\p{L}/gu, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
}

const hasCase = /[\p{Lu}\p{Ll}\p{Lt}]/u;

/** `str.islower` and `str.isupper`: there are cased letters and all are of that case. */
export function isLower(value: string): boolean {
  return hasCase.test(value) && !/[\p{Lu}\p{Lt}]/u.test(value);
}

export function isUpper(value: string): boolean {
  return hasCase.test(value) && !/[\p{Ll}\p{Lt}]/u.test(value);
}

function isTitle(value: string): boolean {
  return hasCase.test(value) && titleCase(value) === value;
}

function matcher(name: string, pattern: RegExp): Builtin {
  return define(name, 'self', (_runtime, self) => pattern.test(text(self)));
}

function mapper(name: string, change: (self: string) => string): Builtin {
  return define(name, 'self', (_runtime, self) => change(text(self)));
}

function question(name: string, answer: (self: string) => boolean): Builtin {
  return define(name, 'self', (_runtime, self) => answer(text(self)));
}

/** A set of characters to strip; null stands for whitespace. */
function stripSet(chars: Val): ReadonlySet<string> | undefined {
  if (chars === null) return undefined;
  return new Set(requireText(chars, 'chars of strip'));
}

/** `str.strip` at the given ends, in code points. */
export function strip(value: string, chars: Val, ends: 'both' | 'left' | 'right'): string {
  const set = stripSet(chars);
  if (set === undefined) {
    if (ends === 'both') return value.trim();
    return ends === 'left' ? value.trimStart() : value.trimEnd();
  }
  const points = characters(value);
  let [start, end] = [0, points.length];
  while (ends !== 'right' && start < end && set.has(points[start] ?? '')) start += 1;
  while (ends !== 'left' && end > start && set.has(points[end - 1] ?? '')) end -= 1;
  return points.slice(start, end).join('');
}

/** The methods of str that change or ask about the kind of its characters. */
export const caseMethods: readonly Builtin[] = [
  mapper('upper', (self) => self.toUpperCase()),
  mapper('lower', (self) => self.toLowerCase()),
  mapper('casefold', (self) => self.toLowerCase().replaceAll('ß', 'ss')),
  mapper('title', titleCase),
  mapper('capitalize', capitalize),
  mapper('swapcase', swapCase),
  question('islower', isLower),
  question('isupper', isUpper),
  question('istitle', isTitle),
  matcher('isalnum', /^[\p{L}\p{N}]+$/u),
  matcher('isalpha', /^\p{L}+$/u),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with the control characters.
  matcher('isascii', /^[\x00-\x7f]*$/),
  matcher('isdecimal', /^\p{Nd}+$/u),
  matcher('isdigit', /^[\p{Nd}²³¹⁰-⁹₀-₉]+$/u),
  matcher('isnumeric', /^\p{N}+$/u),
  matcher('isidentifier', /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*$/u),
  matcher('isprintable', /^(?:[^\p{C}\p{Z}]| )*$/u),
  matcher('isspace', /^\s+$/),
  define('strip', 'self, chars=None', (_runtime, self, chars) => strip(text(self), chars, 'both')),
  define('lstrip', 'self, chars=None', (_runtime, self, chars) => strip(text(self), chars, 'left')),
  define('rstrip', 'self, chars=None', (_runtime, self, chars) =>
    strip(text(self), chars, 'right'),
  ),
];
