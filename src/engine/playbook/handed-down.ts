/** What an import_playbook hands down to the plays that it imports. */
import type { Value } from '../values.ts';
import type { YamlEntry } from '../yaml-node.ts';
import { KEYWORDS } from './keywords.ts';
import type { Source } from './source.ts';

/** What the imported plays hear of; other keywords of an import_playbook have no effect. */
const HANDED_DOWN = new Set(['when', 'tags']);

/** Warns of a keyword of an import_playbook that has no effect. */
export function warnOfIdle(source: Source, { key, keyPosition }: YamlEntry): void {
  const name = String(key);
  if (HANDED_DOWN.has(name) || name === 'name' || name === 'vars') return;
  const message = `${name} of import_playbook has no effect: write it in the imported plays`;
  source.warnings.push({ place: keyPosition, message });
}

/** The keywords of an import_playbook that the imported plays hear of. */
export function handedDown(keywords: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  return new Map([...keywords].filter(([name]) => HANDED_DOWN.has(name)));
}

/** Keywords of an outer and an inner level together: lists that extend are joined, others replaced. */
export function passDown(outer: ReadonlyMap<string, Value>, inner: ReadonlyMap<string, Value>) {
  const together = new Map(outer);
  for (const [key, value] of inner) {
    const above = together.get(key);
    const joins = KEYWORDS[key]?.inherit === 'extend' && above !== undefined;
    together.set(key, joins ? [...asList(above), ...asList(value)] : value);
  }
  return together;
}

/** A list as it is, anything else as the only item of one. */
export function asList(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : [value];
}
