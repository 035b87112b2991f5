import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { toAmount } from '../numbers.ts';
import { isMap, isText, type Runtime, type Val } from '../objects.ts';
import { partsOf, requireText, textOf } from '../text.ts';

/** The built-in styles: what each line begins with, and what encloses the comment. */
const STYLES: ReadonlyMap<string, readonly (readonly [string, string])[]> = new Map([
  ['plain', [['decoration', '# ']]],
  ['erlang', [['decoration', '% ']]],
  ['c', [['decoration', '// ']]],
  [
    'cblock',
    [
      ['beginning', '/*'],
      ['decoration', ' * '],
      ['end', ' */'],
    ],
  ],
  [
    'xml',
    [
      ['beginning', '<!--'],
      ['decoration', ' - '],
      ['end', '-->'],
    ],
  ],
]);

function comment(runtime: Runtime, text: string, style: Val, overrides: Val): string {
  const preset = STYLES.get(requireText(style, 'style'));
  if (preset === undefined) {
    throw new TemplateError(`comment knows the styles ${[...STYLES.keys()].join(', ')}`);
  }
  const options = new Map<Val, Val>([...preset, ...(isMap(overrides) ? overrides : [])]);
  const given = (name: string, fallback: Val) => {
    const value = options.get(name);
    return value === undefined ? fallback : value;
  };
  const setting = (name: string, fallback: string) => requireText(given(name, fallback), name);
  // What is false is none.
  const line = (name: string, fallback: string) => {
    const value = given(name, fallback);
    return truthy(value) ? textOf(value) : '';
  };
  const decoration = setting('decoration', '# ');
  const newline = setting('newline', '\n');
  const repeats = (name: string) => {
    const count = toInt(given(`${name}_count`, 1), `${name}_count`);
    runtime.checkSize(count);
    return Math.max(0, count);
  };
  const [beginning, end] = [line('beginning', ''), line('end', '')];
  const prefix = line('prefix', decoration.trimEnd());
  const postfix = setting('postfix', decoration.trimEnd());
  return [
    beginning === '' ? '' : beginning + newline,
    prefixed(prefix, newline).repeat(repeats('prefix')),
    decorate(text, decoration, newline),
    (newline + postfix).repeat(repeats('postfix')),
    end === '' ? '' : newline + end,
  ].join('');
}

/** A line before the comment; one that is nothing but its own end gets no other. */
function prefixed(prefix: string, newline: string): string {
  return prefix === '' || prefix === newline ? prefix : prefix + newline;
}

/** Python's int() of a count. */
function toInt(value: Val, what: string): number {
  if (isText(value)) {
    const text = textOf(value);
    if (/^\s*[-+]?\d+\s*$/.test(text)) return Number(text);
  }
  const count = Math.trunc(toAmount(value, what));
  if (Number.isFinite(count)) return count;
  throw new TemplateError(`${what} must be an integer`);
}

function decorate(text: string, decoration: string, newline: string): string {
  const lines = partsOf(text, newline).map((line) => decoration + line);
  const blank = decoration.trimEnd();
  return lines
    .map((line, index) => (line === decoration && index < lines.length - 1 ? blank : line))
    .join(newline);
}

/** The comment filter: the text as a comment of a configuration file. */
export const commentFilters: readonly Builtin[] = [
  define('comment', "value, style='plain', **options", (runtime, value, style, options) =>
    comment(runtime, requireText(value, 'the text of a comment'), style, options),
  ),
];
