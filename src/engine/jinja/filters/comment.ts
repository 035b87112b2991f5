import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { toInteger } from '../numbers.ts';
import { isMap, type Val } from '../objects.ts';
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

function comment(value: Val, style: Val, given: Val): string {
  const preset = STYLES.get(requireText(style, 'style'));
  if (preset === undefined) {
    throw new TemplateError(`comment knows the styles ${[...STYLES.keys()].join(', ')}`);
  }
  const options = new Map<Val, Val>([...preset, ...(isMap(given) ? given : [])]);
  const decoration = textOf(options.get('decoration') ?? '# ');
  const setting = (name: string, fallback: string) => textOf(options.get(name) ?? fallback);
  const newline = setting('newline', '\n');
  const repeats = (name: string) => {
    const count = toInteger(options.get(`${name}_count`) ?? 1, `${name}_count`);
    return Math.max(0, Math.min(count, 10_000));
  };
  const [beginning, end] = [setting('beginning', ''), setting('end', '')];
  const [prefix, postfix] = [
    setting('prefix', decoration.trimEnd()),
    setting('postfix', decoration.trimEnd()),
  ];
  return [
    beginning === '' ? '' : beginning + newline,
    prefix === '' ? '' : (prefix + newline).repeat(repeats('prefix')),
    decorate(textOf(value), decoration, newline),
    (newline + postfix).repeat(repeats('postfix')),
    end === '' ? '' : newline + end,
  ].join('');
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
  define('comment', "value, style='plain', **options", (_runtime, value, style, options) =>
    comment(value, style, options),
  ),
];
