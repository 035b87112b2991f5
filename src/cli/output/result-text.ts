/** Results as Ansible's default output prints them: JSON with sorted keys. */
import { dumpJson } from '../../engine/jinja/json.ts';
import type { Dict } from '../../engine/values.ts';

const NEVER_SHOWN = new Set(['diff', 'exception', 'failed', 'skipped']);

/** A result without what is not for the eyes; arguments only from -vvv on. */
export function shownResult(result: Dict, verbosity: number): Dict {
  const shown = [...result].filter(
    ([key]) =>
      !NEVER_SHOWN.has(key) &&
      !key.startsWith('_ansible') &&
      (key !== 'invocation' || verbosity >= 3),
  );
  return new Map(shown);
}

/** A result on one line, or indented by four where the run is verbose. */
export function resultText(
  result: Dict,
  options: { readonly verbosity: number; readonly indented: boolean },
): string {
  const indent = options.indented ? { indent: 4 } : {};
  return dumpJson(shownResult(result, options.verbosity), {
    ...indent,
    sortKeys: true,
    asciiOnly: false,
  });
}
