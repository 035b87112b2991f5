import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { PlacedFault } from './play-target.ts';

/** What a difference comes from. */
export const KINDS = {
  design: 'by design',
  wording: 'wording',
  missing: 'missing module',
  python: 'needs Python on the host',
  follows: 'follows from another row',
  bug: 'bug',
} as const;

/** Why a target differs at some places. */
export interface Explanation {
  /** Places as `target/tasks/main.yml:12`; `*` stands for any text. */
  readonly at: readonly string[];
  readonly kind: keyof typeof KINDS;
  /** Of what is by design: its row in docs/differences.md. */
  readonly row?: string;
  readonly why: string;
}

export type Explanations = Readonly<Record<string, readonly Explanation[]>>;

/** Reads the explanations of every target. */
export async function readExplanations(): Promise<Explanations> {
  const text = await readFile(join(import.meta.dirname, 'explanations.yaml'), 'utf8');
  // Written by us in this shape; the suite checks kinds, rows and places.
  return (parse(text) ?? {}) as Explanations;
}

/** What no explanation covers, and the places of explanations at which nothing differs any more. */
export function checkExplanations(
  found: readonly PlacedFault[],
  explanations: readonly Explanation[],
): { unexplained: PlacedFault[]; idle: string[] } {
  const patterns = explanations.flatMap(({ at }) => at);
  const covers = (pattern: string, { at }: PlacedFault) => toPattern(pattern).test(at);
  return {
    unexplained: found.filter((each) => !patterns.some((pattern) => covers(pattern, each))),
    idle: patterns.filter((pattern) => !found.some((each) => covers(pattern, each))),
  };
}

function toPattern(place: string): RegExp {
  const literal = place.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`);
}
