import { charge } from '../budget.ts';
import { type Builtin, define, tableOf } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { isInt, toInteger } from '../numbers.ts';
import { Bytes, isList, type Runtime, Tuple, typeName, type Val } from '../objects.ts';
import { formatText } from '../str-format.ts';
import { characters, partsOf, pointOffset, requireText, sliceText, textLength } from '../text.ts';
import { caseMethods } from './string-case.ts';
import { splitMethods } from './string-split.ts';

const text = (value: Val) => requireText(value, 'argument');

interface Window {
  readonly self: string;
  /** Where the searched part begins in `self`, in code points. */
  readonly offset: number;
}

/** The part of a text that `find(x, start, end)` looks at. */
function windowOf(self: Val, start: Val, end: Val): Window {
  const whole = text(self);
  if (start === null && end === null) return { self: whole, offset: 0 };
  const length = textLength(whole);
  const from = bounded(start, 0, length);
  return { self: sliceText(whole, from, bounded(end, length, length)), offset: from };
}

function bounded(value: Val, fallback: number, length: number): number {
  if (value === null) return fallback;
  const index = toInteger(value, 'index');
  return Math.min(Math.max(index < 0 ? index + length : index, 0), length);
}

function find(self: Val, sub: Val, [start, end]: readonly [Val, Val], last: boolean): number {
  const { self: part, offset } = windowOf(self, start, end);
  const at = last ? part.lastIndexOf(text(sub)) : part.indexOf(text(sub));
  return at === -1 ? -1 : pointOffset(part, at) + offset;
}

function requireFound(index: number): number {
  if (index === -1) throw new TemplateError('substring not found');
  return index;
}

function count(self: Val, sub: Val, start: Val, end: Val): number {
  const { self: part } = windowOf(self, start, end);
  const wanted = text(sub);
  return wanted === '' ? textLength(part) + 1 : partsOf(part, wanted).length - 1;
}

function hasAffix(affix: Val, test: (affix: string) => boolean): boolean {
  if (isList(affix) && affix instanceof Tuple) return affix.some((item) => test(text(item)));
  return test(text(affix));
}

function join(runtime: Runtime, self: Val, items: Val): string {
  const texts = iterate(items, runtime).map((item, index) => {
    if (typeof item === 'string') return item;
    return requireText(item, `item ${index} (${typeName(item)})`);
  });
  runtime.checkSize(texts.reduce((size, part) => size + part.length + text(self).length, 0));
  return texts.join(text(self));
}

type Side = 'left' | 'right' | 'both';

/** Fills a text up to a width. On `both` sides, Python puts the odd one left where the width is odd. */
function justify(
  runtime: Runtime,
  side: Side,
  [self, width, fill]: readonly [Val, Val, Val],
): string {
  const filling = text(fill);
  if (textLength(filling) !== 1) throw new TemplateError('the fill must be one character');
  const wanted = toInteger(width, 'width');
  runtime.checkSize(wanted);
  const missing = Math.max(0, wanted - textLength(text(self)));
  const left = side === 'left' ? missing : Math.floor(missing / 2) + (missing & wanted & 1);
  const before = side === 'right' ? 0 : left;
  return filling.repeat(before) + text(self) + filling.repeat(missing - before);
}

/** `str.center`, which the center filter is too. */
export function center(runtime: Runtime, self: Val, width: Val): string {
  return justify(runtime, 'both', [self, width, ' ']);
}

function zfill(runtime: Runtime, self: Val, width: Val): string {
  const whole = text(self);
  const wanted = toInteger(width, 'width');
  runtime.checkSize(wanted);
  const sign = /^[-+]/.exec(whole)?.[0] ?? '';
  return sign + '0'.repeat(Math.max(0, wanted - textLength(whole))) + whole.slice(sign.length);
}

/** `str.replace`, which the replace filter is too. A negative count means all. */
export function replaceText(
  runtime: Runtime,
  self: string,
  [from, to]: readonly [string, string],
  limit: number,
): string {
  const parts = from === '' ? ['', ...characters(self), ''] : partsOf(self, from);
  const replaced = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  runtime.checkSize(self.length + replaced * to.length);
  const head = parts.slice(0, replaced + 1).join(to);
  const tail = parts.slice(replaced + 1);
  return tail.length === 0 ? head : head + from + tail.join(from);
}

function expandTabs(self: string, size: number): string {
  const lines = partsOf(self, /(\r\n|\r|\n)/);
  return lines
    .map((line) => {
      const [first = '', ...rest] = partsOf(line, '\t');
      return rest.reduce((done, part) => {
        charge(done.length);
        const width = size <= 0 ? 0 : size - (textLength(done) % size);
        return done + ' '.repeat(width) + part;
      }, first);
    })
    .join('');
}

const ENCODINGS: ReadonlyMap<string, BufferEncoding> = new Map([
  ['utf8', 'utf8'],
  ['ascii', 'latin1'],
  ['latin1', 'latin1'],
  ['iso88591', 'latin1'],
  ['utf16le', 'utf16le'],
]);

/** Node's name of a Python encoding. Throws TemplateError on one that is not known. */
export function encodingOf(name: Val): BufferEncoding {
  const encoding = ENCODINGS.get(text(name).toLowerCase().replace(/[-_]/g, ''));
  if (encoding === undefined) throw new TemplateError(`unknown encoding "${text(name)}"`);
  return encoding;
}

/** The methods of str. */
export const stringMethods: ReadonlyMap<string, Builtin> = tableOf([
  ...caseMethods,
  ...splitMethods,
  define('center', "self, width, fill=' '", (runtime, ...args) =>
    justify(runtime, 'both', [args[0] ?? null, args[1] ?? null, args[2] ?? null]),
  ),
  define('ljust', "self, width, fill=' '", (runtime, self, width, fill) =>
    justify(runtime, 'right', [self, width, fill]),
  ),
  define('rjust', "self, width, fill=' '", (runtime, self, width, fill) =>
    justify(runtime, 'left', [self, width, fill]),
  ),
  define('zfill', 'self, width', zfill),
  define('count', 'self, sub, start=None, end=None', (_runtime, self, sub, start, end) =>
    count(self, sub, start, end),
  ),
  define(
    'encode',
    "self, encoding='utf-8', errors='strict'",
    (_runtime, self, encoding) => new Bytes(Buffer.from(text(self), encodingOf(encoding))),
  ),
  define('endswith', 'self, suffix, start=None, end=None', (_runtime, self, suffix, start, end) => {
    const { self: part } = windowOf(self, start, end);
    return hasAffix(suffix, (affix) => part.endsWith(affix));
  }),
  define(
    'startswith',
    'self, prefix, start=None, end=None',
    (_runtime, self, prefix, start, end) => {
      const { self: part } = windowOf(self, start, end);
      return hasAffix(prefix, (affix) => part.startsWith(affix));
    },
  ),
  define('expandtabs', 'self, tabsize=8', (runtime, self, size) => {
    const width = toInteger(size, 'tabsize');
    runtime.checkSize(text(self).length * Math.max(1, width));
    return expandTabs(text(self), width);
  }),
  define('find', 'self, sub, start=None, end=None', (_runtime, self, sub, start, end) =>
    find(self, sub, [start, end], false),
  ),
  define('rfind', 'self, sub, start=None, end=None', (_runtime, self, sub, start, end) =>
    find(self, sub, [start, end], true),
  ),
  define('index', 'self, sub, start=None, end=None', (_runtime, self, sub, start, end) =>
    requireFound(find(self, sub, [start, end], false)),
  ),
  define('rindex', 'self, sub, start=None, end=None', (_runtime, self, sub, start, end) =>
    requireFound(find(self, sub, [start, end], true)),
  ),
  define('format', 'self, *args, **kwargs', (runtime, self, args, kwargs) =>
    formatText(runtime, text(self), iterate(args, runtime), kwargs),
  ),
  define('format_map', 'self, mapping', (runtime, self, mapping) =>
    formatText(runtime, text(self), [], mapping),
  ),
  define('join', 'self, items', join),
  define('removeprefix', 'self, prefix', (_runtime, self, prefix) =>
    text(self).startsWith(text(prefix)) ? text(self).slice(text(prefix).length) : text(self),
  ),
  define('removesuffix', 'self, suffix', (_runtime, self, suffix) =>
    text(suffix) !== '' && text(self).endsWith(text(suffix))
      ? text(self).slice(0, -text(suffix).length)
      : text(self),
  ),
  define('replace', 'self, old, new, count=-1', (runtime, self, old, replacement, limit) => {
    if (!isInt(limit)) throw new TemplateError('count must be an integer');
    return replaceText(runtime, text(self), [text(old), text(replacement)], Number(limit));
  }),
]);
