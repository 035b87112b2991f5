import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from '../support/tsprov.ts';
import type { Case } from './case.ts';
import type { Difference } from './compare.ts';

/** Ids of the differences on purpose: the first column of the table in docs/differences.md. */
export async function readExplanations(): Promise<ReadonlySet<string>> {
  const text = await readFile(join(REPOSITORY, 'docs/differences.md'), 'utf8');
  return new Set([...text.matchAll(/^\| *`([a-z0-9-]+)` *\|/gm)].map(([, id = '']) => id));
}

/**
 * What a case does not explain by an entry. A place that begins with `+` explains only what Ansible does not have
 * at all.
 */
export function unexplained(test: Case, found: readonly Difference[]): Difference[] {
  const explained = Object.keys(test.differences).map((place) => {
    const pattern = toPattern(place.replace(/^\+/, ''));
    const onlyMore = place.startsWith('+');
    return ({ at, ansible }: Difference) =>
      pattern.test(at) && !(onlyMore && ansible !== undefined);
  });
  return found.filter((each) => !explained.some((covers) => covers(each)));
}

/** `*` stands for any text. */
function toPattern(place: string): RegExp {
  const literal = place.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`);
}
