/** Results as Ansible's default output prints them: JSON or YAML with sorted keys. */
import type { Settings } from '../../engine/config/config-settings.ts';
import { dumpJson } from '../../engine/jinja/json.ts';
import { dumpYaml, type YamlStyle } from '../../engine/jinja/yaml-dump.ts';
import type { Dict } from '../../engine/values.ts';

const NEVER_SHOWN = new Set(['exception', 'failed', 'skipped', 'warnings', 'deprecations']);
const FOR_THE_CURIOUS = new Set(['invocation', 'diff']);
const REPEATED = ['stdout', 'stderr'];
const OMITTED = '<omitted>';
/** A result without what is not for the eyes; arguments and diff only from -vvv on. */
export function shownResult(result: Dict, verbosity: number): Dict {
  const shown = [...result].filter(
    ([key]) =>
      !NEVER_SHOWN.has(key) &&
      !key.startsWith('_ansible') &&
      (!FOR_THE_CURIOUS.has(key) || verbosity >= 3),
  );
  return new Map(shown);
}

export interface ResultStyle {
  readonly verbosity: number;
  /** Several lines, indented by four, instead of one. */
  readonly indented: boolean;
  readonly format?: 'json' | 'yaml';
  /** Made for the eyes; YAML is, unless it is said that it is not. */
  readonly isPretty?: boolean | undefined;
}

/** How the settings want results to be shown. */
export function resultStyle(
  { callbackResultFormat, callbackFormatPretty }: Settings,
  { verbosity, indented }: Pick<ResultStyle, 'verbosity' | 'indented'>,
): ResultStyle {
  return {
    verbosity,
    indented: indented || callbackFormatPretty === true,
    format: callbackResultFormat,
    isPretty: callbackFormatPretty,
  };
}

/** A result as text. As YAML it begins on a line of its own. */
export function resultText(result: Dict, style: ResultStyle): string {
  const { verbosity, indented, format, isPretty = true } = style;
  const shown = shownResult(result, verbosity);
  if (format === 'yaml') return isPretty ? prettyYaml(shown) : yamlText(shown, {});
  return dumpJson(shown, {
    ...(indented && { indent: 4 }),
    sortKeys: true,
    asciiOnly: false,
  });
}

/** Cleaned texts, and nothing that only repeats. */
function prettyYaml(result: Dict): string {
  const shown = new Map(result);
  for (const name of REPEATED) {
    if (shown.has(name) && shown.has(`${name}_lines`)) shown.set(`${name}_lines`, OMITTED);
  }
  return yamlText(shown, { indent: 4, multiline: 'cleaned' });
}

function yamlText(result: Dict, style: YamlStyle): string {
  const text = dumpYaml(result, { flowStyle: false, multiline: 'literal', ...style })
    .replaceAll(`'${OMITTED}'`, OMITTED)
    .trimEnd();
  return `\n${text.replace(/^(?=.)/gm, '    ')}`;
}
