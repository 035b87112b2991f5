import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { escapeHtml } from '../html.ts';
import { iterate, lengthOf } from '../iterate.ts';
import { center, replaceText } from '../methods/string.ts';
import { capitalize, strip } from '../methods/string-case.ts';
import { splitLines, splitText } from '../methods/string-split.ts';
import { toAmount, toCount, toInteger } from '../numbers.ts';
import { isMap, isText, Markup, type Runtime, Tuple, typeName, type Val } from '../objects.ts';
import { percentFormat } from '../percent-format.ts';
import { partsOf, requireText, sliceText, textLength, textOf } from '../text.ts';
import { quoteShell } from './quote.ts';
import { wrapLines } from './wrap.ts';

/** Jinja's title: words begin after blanks, hyphens and brackets only. */
function title(value: string): string {
  return value
    .split(/([-\s({[<]+)/)
    .map(capitalize)
    .join('');
}

function truncate(
  value: Val,
  length: number,
  killWords: boolean,
  end: string,
  leeway: number,
): Val {
  if (!(length >= textLength(end)))
    throw new TemplateError('the length is smaller than the end text');
  if (!(leeway >= 0)) throw new TemplateError('the leeway must not be negative');
  if (lengthOf(value) <= length + leeway) return value;
  const text = requireAnyText(value, 'truncate');
  if (!Number.isInteger(length)) throw new TemplateError('the length must be an integer');
  const cut = sliceText(text, 0, length - textLength(end));
  if (killWords) return cut + end;
  const space = cut.lastIndexOf(' ');
  return (space === -1 ? cut : cut.slice(0, space)) + end;
}

function prefixOf(runtime: Runtime, width: Val): string {
  if (isText(width)) return textOf(width);
  runtime.checkSize(toInteger(width, 'width'));
  return ' '.repeat(Math.max(0, toInteger(width, 'width')));
}

function requireAnyText(value: Val, filter: string): string {
  if (isText(value)) return textOf(value);
  throw new TemplateError(`${filter} takes a string, not '${typeName(value)}'`);
}

function indent(value: string, prefix: string, first: boolean, blank: boolean): string {
  const text = `${value}\n`;
  const lines = blank ? partsOf(text.slice(0, -1), '\n') : [...splitLines(text, false)];
  const [head = '', ...tail] = lines;
  const rest = tail.map((line) => (blank || line !== '' ? prefix + line : line));
  return (first ? prefix : '') + [head, ...rest].join('\n');
}

function format(runtime: Runtime, value: Val, args: Val, kwargs: Val): Val {
  if (value instanceof Markup)
    return new Markup(formatMarkup(runtime, value, iterate(args, runtime)));
  const positional = iterate(args, runtime);
  const named = isMap(kwargs) && kwargs.size > 0;
  if (named && positional.length > 0)
    throw new TemplateError('format takes positions or names, not both');
  return percentFormat(textOf(value), named ? kwargs : Tuple.fromItems(positional), runtime);
}

/** Into escaped text only escaped text goes. */
function formatMarkup(runtime: Runtime, value: Markup, args: readonly Val[]): string {
  const escaped = args.map((arg) => (isText(arg) ? escapeHtml(arg) : arg));
  return percentFormat(value.value, Tuple.fromItems(escaped), runtime);
}

function simple(names: string, change: (text: string) => Val): Builtin {
  return define(names, 'value', (_runtime, value) => change(textOf(value)));
}

/** Filters that change texts. */
export const textFilters: readonly Builtin[] = [
  simple('upper', (text) => text.toUpperCase()),
  simple('lower', (text) => text.toLowerCase()),
  simple('capitalize', capitalize),
  simple('title', title),
  simple('wordcount', (text) => partsOf(text, /[\p{L}\p{N}_]+/u).length - 1),
  define('quote', 'value', (_runtime, value) => quoteShell(value === null ? '' : textOf(value))),
  define('trim', 'value, chars=None', (_runtime, value, chars) =>
    strip(textOf(value), chars, 'both'),
  ),
  define('center', 'value, width=80', (runtime, value, width) =>
    center(runtime, textOf(value), width),
  ),
  define('replace', 'value, old, new, count=None', (runtime, value, old, replacement, count) => {
    const limit = count === null ? -1 : toCount(count, 'count');
    return replaceText(runtime, textOf(value), [textOf(old), textOf(replacement)], limit);
  }),
  define(
    'truncate',
    "value, length=255, killwords=False, end='...', leeway=5",
    (_runtime, ...args) => {
      const [value = '', length = 255, killWords = false, end = '', leeway = 5] = args;
      const slack = leeway === null ? 5 : toAmount(leeway, 'leeway');
      const mark = requireText(end, 'end');
      return truncate(value, toAmount(length, 'length'), truthy(killWords), mark, slack);
    },
  ),
  define(
    'indent',
    'value, width=4, first=False, blank=False',
    (runtime, value, width, first, blank) => {
      const prefix = prefixOf(runtime, width);
      const text = requireAnyText(value, 'indent');
      runtime.checkSize(text.length * (1 + prefix.length));
      return indent(text, prefix, truthy(first), truthy(blank));
    },
  ),
  define('format', 'value, *args, **kwargs', format),
  define('split', 'value, sep=None, maxsplit=-1', (_runtime, value, separator, limit) => {
    if (!isText(value)) throw new TemplateError('split takes a string');
    return splitText(textOf(value), separator, toCount(limit, 'maxsplit'));
  }),
  define(
    'wordwrap',
    'value, width=79, break_long_words=True, wrapstring=None, break_on_hyphens=True',
    (_runtime, ...args) => {
      const [value = null, width = 79, breakLong = true, wrapString = null, hyphens = true] = args;
      const rules = {
        width: toAmount(width, 'width'),
        breakLong: truthy(breakLong),
        hyphens: truthy(hyphens),
      };
      const joint = wrapString === null ? '\n' : requireText(wrapString, 'wrapstring');
      const lines = splitLines(requireAnyText(value, 'wordwrap'), false);
      return lines.map((line) => wrapLines(line, rules).join(joint)).join(joint);
    },
  ),
];
