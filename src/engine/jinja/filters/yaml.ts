import { parseAllYamlData, parseYamlData } from '../../yaml.ts';
import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { isFloat, toCount, toNumber } from '../numbers.ts';
import { isMap, isText, type Val } from '../objects.ts';
import { partsOf, requireText, textOf } from '../text.ts';
import { dumpYaml, type YamlStyle } from '../yaml-dump.ts';
import type { ScalarStyle } from '../yaml-nodes.ts';

function scalarStyle(value: Val): ScalarStyle {
  if (value === null) return 'plain';
  const mark = requireText(value, 'default_style');
  if (mark === '"') return 'double';
  if (mark === "'") return 'single';
  throw new TemplateError(`default_style "${mark}" is not supported, use a quote`);
}

/** Of a number with a fraction the whole part counts. */
function toWidth(value: Val, what: string): number {
  if (!isFloat(value)) return toCount(value, what);
  if (Number.isFinite(toNumber(value))) return Math.trunc(toNumber(value));
  throw new TemplateError(`${what} must be finite`);
}

const SETTINGS: ReadonlyMap<string, (value: Val) => YamlStyle> = new Map<
  string,
  (value: Val) => YamlStyle
>([
  ['indent', (value) => (value === null ? {} : { indent: toWidth(value, 'indent') })],
  ['width', (value) => (value === null ? {} : { width: toWidth(value, 'width') })],
  ['sort_keys', (value) => ({ sortKeys: truthy(value) })],
  ['default_flow_style', (value) => ({ flowStyle: value === null ? null : truthy(value) })],
  ['explicit_start', (value) => ({ explicitStart: truthy(value) })],
  ['explicit_end', (value) => ({ explicitEnd: truthy(value) })],
  ['default_style', (value) => ({ scalarStyle: scalarStyle(value) })],
  ['line_break', () => ({})],
]);

function styled(defaults: YamlStyle, options: Val): YamlStyle {
  let style = defaults;
  for (const [name, value] of isMap(options) ? options : []) {
    const read = SETTINGS.get(String(name));
    if (read === undefined) throw new TemplateError(`to_yaml() has no argument '${String(name)}'`);
    style = { ...style, ...read(value) };
  }
  return style;
}

/** Nodes of a YAML text at most, about: each takes more than a kilobyte while it is read. */
const MAX_NODES = 500_000;

/** The text to read. Bytes are no value of the model, so a text that holds some is refused. */
function source(value: Val): string {
  const text = textOf(value);
  if (/(?:^|\s)!!binary\b/.test(text)) throw new TemplateError('!!binary in YAML is not supported');
  if (partsOf(text, /[\n,[{]/).length > MAX_NODES)
    throw new TemplateError('the text is too large to be read as YAML');
  return text;
}

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TemplateError(`the text is no YAML: ${reason}`, { cause });
  }
}

/** Filters that read and write YAML. */
export const yamlFilters: readonly Builtin[] = [
  // What is given by position beyond the first argument counts for nothing, as in Ansible.
  define('to_yaml', 'value, *surplus, **options', (_runtime, value, _surplus, options) =>
    dumpYaml(value, styled({}, options)),
  ),
  define('to_nice_yaml', 'value, indent=4, *surplus, **options', (_runtime, ...args) => {
    const [value = null, indent = 4, , options = null] = args;
    const given = indent === null ? {} : { indent: toWidth(indent, 'indent') };
    return dumpYaml(value, styled({ ...given, flowStyle: false }, options));
  }),
  define('from_yaml', 'value', (_runtime, value) =>
    isText(value) ? parse(() => parseYamlData(source(value))) : value,
  ),
  define('from_yaml_all', 'value', (_runtime, value) =>
    isText(value) ? parse(() => parseAllYamlData(source(value))) : (value ?? []),
  ),
];
