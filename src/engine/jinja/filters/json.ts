import { Timestamp } from '../../values.ts';
import { Budget } from '../budget.ts';
import { type Builtin, define } from '../builtin.ts';
import { order, truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { mapOf, membersOf } from '../iterate.ts';
import { dumpJson, type JsonStyle, parseJson } from '../json.ts';
import { DateTime } from '../moments.ts';
import { toInteger } from '../numbers.ts';
import {
  isList,
  isMap,
  isText,
  Markup,
  Range,
  type Runtime,
  typeName,
  type Val,
  type ValMap,
} from '../objects.ts';
import { requireText, textOf } from '../text.ts';

function indentOf(value: Val): number | string | undefined {
  if (value === null) return undefined;
  return isText(value) ? textOf(value) : toInteger(value, 'indent');
}

function separatorsOf(value: Val, runtime: Runtime): readonly [string, string] | undefined {
  if (value === null) return undefined;
  const [between, after, ...surplus] = membersOf(value, runtime);
  if (between === undefined || after === undefined || surplus.length > 0)
    throw new TemplateError('separators are two texts: between members, and after a key');
  return [requireText(between, 'separator'), requireText(after, 'separator')];
}

const IGNORED: ReadonlySet<string> = new Set([
  'vault_to_text',
  'preprocess_unsafe',
  'skipkeys',
  'check_circular',
  'allow_nan',
  'profile',
  'cls',
  'default',
]);

function styleOf(runtime: Runtime, options: Val, defaults: JsonStyle): JsonStyle {
  const given: ValMap = isMap(options) ? options : new Map();
  let style = defaults;
  for (const [name, value] of given)
    style = { ...style, ...styleMember(runtime, String(name), value) };
  return style;
}

function styleMember(runtime: Runtime, name: string, value: Val): JsonStyle {
  if (name === 'indent') return { indent: indentOf(value) };
  if (name === 'sort_keys') return { sortKeys: truthy(value) };
  if (name === 'ensure_ascii') return { asciiOnly: truthy(value) };
  if (name === 'separators') return { separators: separatorsOf(value, runtime) };
  if (IGNORED.has(name)) return {};
  throw new TemplateError(`to_json() has no argument '${name}'`);
}

/** Options of Python's json.loads() and of Ansible, none of which has an effect. */
const READING: ReadonlySet<string> = new Set([
  'profile',
  'strict',
  'object_hook',
  'object_pairs_hook',
  'parse_float',
  'parse_int',
  'parse_constant',
]);

const HTML_SAFE: ReadonlyMap<string, string> = new Map([
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ["'", '\\u0027'],
]);

/** Throws TemplateError on what Python's json module does not write, or cannot put in order. */
function requireJson(value: Val, budget = new Budget()): void {
  if (value instanceof Range || value instanceof DateTime || value instanceof Timestamp)
    throw new TemplateError(`'${typeName(value)}' is no value of JSON`);
  budget.visit();
  if (isMap(value)) [...value.keys()].sort((a, b) => order(a, b));
  const parts = isMap(value) ? value.values() : isList(value) ? value : [];
  for (const part of parts) requireJson(part, budget);
}

function htmlSafeJson(value: Val, indent: Val): Markup {
  requireJson(value);
  const json = dumpJson(value, { indent: indentOf(indent), sortKeys: true });
  return new Markup(json.replace(/[<>&']/g, (char) => HTML_SAFE.get(char) ?? char));
}

/** Filters that read and write JSON. */
export const jsonFilters: readonly Builtin[] = [
  define('to_json', 'value, **options', (runtime, value, options) =>
    dumpJson(value, styleOf(runtime, options, {})),
  ),
  define('to_nice_json', 'value, indent=4, sort_keys=True, **options', (runtime, ...args) => {
    const [value = null, indent = 4, sortKeys = true, options = null] = args;
    const separators = [',', ': '] as const;
    const defaults = { indent: indentOf(indent), sortKeys: truthy(sortKeys), separators };
    return dumpJson(value, styleOf(runtime, options, defaults));
  }),
  define('from_json', 'value, **options', (_runtime, value, options) => {
    const unknown = [...mapOf(options, 'options').keys()].find(
      (name) => !READING.has(String(name)),
    );
    if (unknown !== undefined)
      throw new TemplateError(`from_json() has no argument '${String(unknown)}'`);
    return parseJson(requireText(value, 'value'));
  }),
  define('tojson', 'value, indent=None', (_runtime, value, indent) => htmlSafeJson(value, indent)),
];
