/** Many problems, told so that one fault is one line. */
import type { Problem } from '../../shared/errors.ts';

/** So many further places of one fault are named; the rest is counted. */
const MOST_PLACES = 3;

/** The same fault at several places as one problem. */
export function grouped(problems: readonly Problem[]): Problem[] {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) {
    const key = JSON.stringify([problem.message, problem.hint]);
    groups.set(key, [...(groups.get(key) ?? []), problem]);
  }
  return [...groups.values()].flatMap(together);
}

function together(group: readonly Problem[]): Problem[] {
  const [first] = group;
  if (first === undefined) return [];
  const places = new Set(group.map(({ place }) => place && shown(place)));
  const [, ...others] = [...places].filter((place) => place !== undefined);
  if (others.length === 0) return [first];
  const named = others.slice(0, MOST_PLACES).join(', ');
  const rest = others.length - MOST_PLACES;
  const also = `also at ${named}${rest > 0 ? ` and ${rest} more` : ''}`;
  return [{ ...first, hint: first.hint === undefined ? also : `${first.hint}; ${also}` }];
}

/** `file:line:column`. */
export function shown({ file, line, column }: NonNullable<Problem['place']>): string {
  return `${file}:${line}:${column}`;
}
