import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { membersOf } from '../iterate.ts';
import { dumpJson, type JsonStyle, parseJson } from '../json.ts';
import { toInteger } from '../numbers.ts';
import { isMap, isText, Markup, type Runtime, type Val, type ValMap } from '../objects.ts';
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

const HTML_SAFE: ReadonlyMap<string, string> = new Map([
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ["'", '\\u0027'],
]);

function htmlSafeJson(value: Val, indent: Val): Markup {
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
    const defaults = { indent: indentOf(indent), sortKeys: truthy(sortKeys) };
    return dumpJson(value, styleOf(runtime, options, defaults));
  }),
  define('from_json', 'value, **options', (_runtime, value) =>
    parseJson(requireText(value, 'value')),
  ),
  define('tojson', 'value, indent=None', (_runtime, value, indent) => htmlSafeJson(value, indent)),
];
