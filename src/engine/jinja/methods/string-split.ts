import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { toCount, toFlag } from '../numbers.ts';
import { Tuple, type Val } from '../objects.ts';
import { characters, partsOf, requireText } from '../text.ts';

const text = (value: Val) => requireText(value, 'argument');

function requireSeparator(separator: Val): string {
  const value = text(separator);
  if (value === '') throw new TemplateError('empty separator');
  return value;
}

/** `str.split`: at whitespace where the separator is None. A negative limit means no limit. */
export function splitText(value: string, separator: Val, limit: number): readonly string[] {
  if (separator === null) return splitBlank(value, limit);
  const mark = requireSeparator(separator);
  const parts = partsOf(value, mark);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  return [...parts.slice(0, limit), parts.slice(limit).join(mark)];
}

function splitBlank(value: string, limit: number): readonly string[] {
  const trimmed = value.trim();
  if (trimmed === '') return [];
  if (limit < 0) return partsOf(trimmed, /\s+/);
  const parts: string[] = [];
  let rest = value.trimStart();
  while (parts.length < limit && rest !== '') {
    const [word = ''] = /^\S+/.exec(rest) ?? [];
    parts.push(word);
    rest = rest.slice(word.length).trimStart();
  }
  return rest === '' ? parts : [...parts, rest];
}

function rsplitText(value: string, separator: Val, limit: number): readonly string[] {
  if (limit < 0) return splitText(value, separator, limit);
  const mirror = (part: string) => characters(part).reverse().join('');
  const mark = separator === null ? null : mirror(requireSeparator(separator));
  return splitText(mirror(value), mark, limit).map(mirror).reverse();
}

/** `str.splitlines`, with all of Python's line ends. */
export function splitLines(value: string, keepEnds: boolean): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are Python's line ends.
  const pieces = partsOf(value, /(\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029])/);
  const lines: string[] = [];
  for (let i = 0; i < pieces.length; i += 2) {
    const end = pieces[i + 1];
    if (end === undefined && pieces[i] === '') break;
    lines.push(keepEnds ? (pieces[i] ?? '') + (end ?? '') : (pieces[i] ?? ''));
  }
  return lines;
}

function partition(self: Val, separator: Val, last: boolean): Tuple {
  const value = text(self);
  const mark = requireSeparator(separator);
  const at = last ? value.lastIndexOf(mark) : value.indexOf(mark);
  if (at === -1) return Tuple.fromItems(last ? ['', '', value] : [value, '', '']);
  return Tuple.fromItems([value.slice(0, at), mark, value.slice(at + mark.length)]);
}

/** The methods of str that cut it into pieces. */
export const splitMethods: readonly Builtin[] = [
  define('split', 'self, sep=None, maxsplit=-1', (_runtime, self, separator, limit) =>
    splitText(text(self), separator, toCount(limit, 'maxsplit')),
  ),
  define('rsplit', 'self, sep=None, maxsplit=-1', (_runtime, self, separator, limit) =>
    rsplitText(text(self), separator, toCount(limit, 'maxsplit')),
  ),
  define('splitlines', 'self, keepends=False', (_runtime, self, keepEnds) =>
    splitLines(text(self), toFlag(keepEnds, 'keepends')),
  ),
  define('partition', 'self, sep', (_runtime, self, separator) =>
    partition(self, separator, false),
  ),
  define('rpartition', 'self, sep', (_runtime, self, separator) =>
    partition(self, separator, true),
  ),
];
