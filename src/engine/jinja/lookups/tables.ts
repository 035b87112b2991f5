import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { isMap, type Runtime, type Val } from '../objects.ts';
import { compileRegex } from '../regex.ts';
import { requireText, textOf } from '../text.ts';
import { parseCsv } from './csv.ts';
import { locate, readText } from './files.ts';
import { IniFile } from './ini-file.ts';
import { parseKeyValues } from './key-values.ts';

type Options = ReadonlyMap<string, string>;

/** The key of a term, and its options over those given as keywords. */
function keyed(
  term: Val,
  options: Val,
  known: ReadonlySet<string>,
): { key: string; options: Map<string, string> } {
  const { words, pairs } = parseKeyValues(requireText(term, 'a term'), known);
  if (words.length === 0) throw new TemplateError('the lookup needs a key');
  const named = isMap(options) ? [...options].filter(([, value]) => value !== null) : [];
  const given = new Map(named.map(([name, value]) => [String(name), textOf(value)]));
  const unknown = [...given.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw new TemplateError(`the lookup has no option "${unknown}"`);
  return { key: words.join(' '), options: new Map([...given, ...pairs]) };
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
  const delimiter = options.get('delimiter') ?? 'TAB';
  return delimiter === 'TAB' || delimiter === 't' ? '\t' : delimiter;
}

function csvValue(runtime: Runtime, term: Val, given: Val): readonly Val[] {
  const { key, options } = keyed(term, given, CSV_OPTIONS);
  const text = readText(runtime, locate(runtime, options.get('file') ?? 'ansible.csv', 'files'));
  const column = Number(options.get('col') ?? 1);
  const keyColumn = Number(options.get('keycol') ?? 0);
  const row = parseCsv(text, delimiterOf(options)).find((cells) => cells[keyColumn] === key);
  if (row === undefined) {
    const fallback = options.get('default');
    return fallback === undefined ? [] : [fallback];
  }
  const value = row[column];
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

function isSet(options: Options, name: string, fallback: boolean): boolean {
  const text = options.get(name);
  return text === undefined ? fallback : /^(?:true|yes|1|on)$/i.test(text);
}

function iniValues(runtime: Runtime, term: Val, given: Val): readonly Val[] {
  const { key, options } = keyed(term, given, INI_OPTIONS);
  const properties = options.get('type') === 'properties';
  const text = readText(runtime, locate(runtime, options.get('file') ?? 'ansible.ini', 'files'));
  const section = properties ? 'java_properties' : (options.get('section') ?? 'global');
  const ini = new IniFile(properties ? `[${section}]\n${text}` : text, {
    caseSensitive: isSet(options, 'case_sensitive', false),
    allowNoValue: isSet(options, 'allow_no_value', false) || isSet(options, 'allow_none', false),
    interpolation: isSet(options, 'interpolation', true),
  });
  if (!isSet(options, 're', false)) return [ini.get(section, key) ?? options.get('default') ?? ''];
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
    (runtime, terms, options) =>
      iterate(terms, runtime).flatMap((term) => csvValue(runtime, term, options)),
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
