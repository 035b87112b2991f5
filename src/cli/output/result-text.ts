/** Results as Ansible's default output prints them: JSON or YAML with sorted keys. */
import { dumpJson } from '../../engine/jinja/json.ts';
import { dumpYaml } from '../../engine/jinja/yaml-dump.ts';
import type { Dict } from '../../engine/values.ts';

const NEVER_SHOWN = new Set(['exception', 'failed', 'skipped', 'warnings', 'deprecations']);
const FOR_THE_CURIOUS = new Set(['invocation', 'diff']);
const REPEATED = ['stdout', 'stderr'];
const OMITTED = '<omitted>';
/** Columns after which YAML breaks lines: terminals do that themselves. */
const WIDE = 10_000;

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
}

/** A result as text. As YAML it begins on a line of its own, and what only repeats is left out. */
export function resultText(result: Dict, { verbosity, indented, format }: ResultStyle): string {
  const shown = shownResult(result, verbosity);
  if (format === 'yaml') return yamlText(shown);
  return dumpJson(shown, {
    ...(indented && { indent: 4 }),
    sortKeys: true,
    asciiOnly: false,
  });
}

function yamlText(result: Dict): string {
  const shown = new Map(result);
  for (const name of REPEATED) {
    if (shown.has(name) && shown.has(`${name}_lines`)) shown.set(`${name}_lines`, OMITTED);
  }
  const text = dumpYaml(shown, { flowStyle: false, width: WIDE })
    .replaceAll(`'${OMITTED}'`, OMITTED)
    .trimEnd();
  return `\n${text.replace(/^(?=.)/gm, '    ')}`;
}
