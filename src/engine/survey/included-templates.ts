/** The templates that a template brings in by name, with what they say. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Jinja, Remark } from '../jinja/jinja.ts';
import { isFile } from '../playbook/source.ts';

interface Named {
  readonly text: string;
  readonly file: string;
}

/**
 * What is wrong with the templates that a template includes, imports or extends, and with theirs. Nothing is said
 * of their variables: the templates around them may define some.
 */
export function remarksOnIncluded(
  jinja: Jinja,
  template: Named,
  searchPath: readonly string[],
  seen: Set<string> = new Set([template.file]),
): Remark[] {
  const remarks = jinja.templatesNamed(template.text, template.file).flatMap((named) => {
    const { name, position, isCertain } = named;
    const folders = [dirname(template.file), ...searchPath];
    const found = folders.map((folder) => join(folder, name)).find(isFile);
    if (found === undefined) return [missing(name, position, isCertain)];
    if (seen.has(found)) return [];
    seen.add(found);
    const included = { text: readFileSync(found, 'utf8'), file: found };
    const inside = [
      ...jinja.inspectTemplateFile(included.text, found),
      ...remarksOnIncluded(jinja, included, searchPath, seen),
    ];
    return inside.map((remark) => ({ ...remark, isCertain: isCertain && remark.isCertain }));
  });
  return remarks.filter(({ kind }) => kind !== 'variable');
}

function missing(name: string, position: Remark['position'], isCertain: boolean): Remark {
  const message = `the template "${name}" was not found`;
  return { kind: 'syntax', name, message, hint: undefined, position, isCertain };
}
