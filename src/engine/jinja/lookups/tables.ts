import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { encodingOf } from '../methods/string.ts';
import { isList, isMap, type Runtime, type Val } from '../objects.ts';
import { compileRegex } from '../regex.ts';
import { readBytes } from '../search.ts';
import { requireText, textOf } from '../text.ts';
import { parseCsv } from './csv.ts';
import { locate } from './files.ts';
import { IniFile } from './ini-file.ts';
import { type KeyValues, parseKeyValues } from './key-values.ts';
import { flagOf, integerOf } from './option-types.ts';

type Options = ReadonlyMap<string, Val>;

type Reading = (text: string, known: ReadonlySet<string>) => KeyValues;

const quotedPairs: Reading = (text, known) => parseKeyValues(text, known, true);

/** As the ini lookup reads its terms: quotes are part of a value, and so are the words that follow it. */
const plainPairs: Reading = (text, known) => {
  const words: string[] = [];
  const pairs = new Map<string, string>();
  let last: string | undefined;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(word) ?? [];
    if (known.has(name)) {
      pairs.set(name, value);
      last = name;
    } else if (last === undefined) words.push(word);
    else pairs.set(last, `${pairs.get(last)} ${word}`);
  }
  return { words, pairs };
};

/** The key of a term, and its options over those given as keywords. */
function keyed(
  term: Val,
  options: Val,
  { known, read }: { readonly known: ReadonlySet<string>; readonly read: Reading },
): { key: string; options: Map<string, Val> } {
  const { words, pairs } = read(requireText(term, 'a term'), known);
  const named = isMap(options) ? [...options].filter(([, value]) => value !== null) : [];
  const given = new Map(named.map(([name, value]) => [String(name), value]));
  const unknown = [...given.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw new TemplateError(`the lookup has no option "${unknown}"`);
  return { key: words.join(' '), options: new Map([...given, ...pairs]) };
}

/** The file's text in the encoding that the options name. */
function tableText(runtime: Runtime, options: Options, fallback: string): string {
  const path = locate(runtime, options.get('file') ?? fallback, 'files');
  return readBytes(runtime, path).toString(encodingOf(options.get('encoding') ?? 'utf-8'));
}

const CSV_OPTIONS: ReadonlySet<string> = new Set([
  'file',
  'delimiter',
  'col',
  'default',
  'encoding',
  'keycol',
]);

function delimiterOf(options: Options): string {
  const delimiter = requireText(options.get('delimiter') ?? 'TAB', 'delimiter');
  if (delimiter === 'TAB' || delimiter === 't') return '\t';
  if (delimiter.length === 1 && !/[\r\n]/.test(delimiter)) return delimiter;
  throw new TemplateError('the delimiter of csvfile is one character');
}

/** The first row with a key. Throws TemplateError on a row before it that lacks the column. */
function rowOf(
  rows: readonly (readonly string[])[],
  column: number,
  key: string,
): readonly string[] | undefined {
  return rows.find((cells) => {
    const isBlank = cells.length === 1 && cells[0] === '';
    const cell = cells.at(column);
    if (cell === undefined && !isBlank)
      throw new TemplateError(`a row of the table has no column ${column}`);
    return cell === key;
  });
}

function csvValue(runtime: Runtime, term: Val, given: Val): readonly Val[] {
  if (term === '') throw new TemplateError('csvfile needs a key');
  const { key, options } = keyed(term, given, { known: CSV_OPTIONS, read: quotedPairs });
  const text = tableText(runtime, options, 'ansible.csv');
  const column = integerOf(options.get('col') ?? 1, 'col of csvfile');
  const keyColumn = integerOf(options.get('keycol') ?? 0, 'keycol of csvfile');
  const row = rowOf(parseCsv(text, delimiterOf(options)), keyColumn, key);
  if (row === undefined) {
    const fallback = options.get('default');
    if (fallback === undefined) return [];
    return isList(fallback) ? fallback : [fallback];
  }
  const value = row.at(column);
  if (value === undefined) throw new TemplateError(`the row of "${key}" has no column ${column}`);
  return [value];
}

const INI_OPTIONS: ReadonlySet<string> = new Set([
  'type',
  'file',
  'section',
  're',
  'encoding',
  'default',
  'case_sensitive',
  'allow_no_value',
  'allow_none',
  'interpolation',
]);

function iniValues(runtime: Runtime, term: Val, given: Val): readonly Val[] {
  const { key, options } = keyed(term, given, { known: INI_OPTIONS, read: plainPairs });
  const type = textOf(options.get('type') ?? 'ini');
  if (type !== 'ini' && type !== 'properties')
    throw new TemplateError('type of ini is "ini" or "properties"');
  const properties = type === 'properties';
  const text = tableText(runtime, options, 'ansible.ini');
  const section = properties ? 'java_properties' : textOf(options.get('section') ?? 'global');
  const ini = new IniFile(properties ? `[${section}]\n${text}` : text, {
    caseSensitive: flagOf(options.get('case_sensitive'), false),
    allowNoValue:
      flagOf(options.get('allow_no_value'), false) || flagOf(options.get('allow_none'), false),
    interpolation: flagOf(options.get('interpolation'), true),
  });
  if (!flagOf(options.get('re'), false)) {
    const value = ini.get(section, key) ?? options.get('default') ?? '';
    return isList(value) ? value : [value];
  }
  const regex = compileRegex(key);
  return ini
    .entries(section)
    .flatMap(([name, value]) => (regex.exec(name) === undefined ? [] : [value]));
}

/** Lookups in tables: CSV, INI and properties files. */
export const tableLookups: readonly Builtin[] = [
  define(
    'csvfile',
    'terms, **options',
    (runtime, terms, options) => {
      const keys = iterate(terms, runtime);
      if (keys.length === 0) throw new TemplateError('csvfile needs a key');
      return keys.flatMap((term) => csvValue(runtime, term, options));
    },
    { impure: true },
  ),
  define(
    'ini',
    'terms, **options',
    (runtime, terms, options) =>
      iterate(terms, runtime).flatMap((term) => iniValues(runtime, term, options)),
    { impure: true },
  ),
];
