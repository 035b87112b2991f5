import { expect } from 'chai';
import { differencesIn, documentedIds } from '../documented-differences.ts';
import { recordedAnswers } from './answers.ts';
import { ourAnswer } from './play-row.ts';
import { keywordRows, type Row } from './rows.ts';

const answers = recordedAnswers();
const differences = differencesIn(new URL('differences.txt', import.meta.url));
const rows = keywordRows();

/** Retries take seconds, so that these rows run beside the others. */
const waits = ({ keyword }: Row) => ['until', 'retries', 'delay'].includes(keyword);

async function missesOf(row: Row): Promise<readonly string[]> {
  const expected = answers.get(row.title);
  const { answer, why } = await ourAnswer(row);
  const isOther = answer !== expected;
  if (isOther === differences.has(row.title)) return [];
  const known = isOther ? why : 'no longer a difference';
  return [`${row.title}: expected ${expected}, got ${answer} (${known})`];
}

describe('Keywords with null, empty text, omit and wrong types do what they do in ansible-core', () => {
  for (const place of new Set(rows.map((row) => row.place))) {
    it(`of ${place}`, async () => {
      const here = rows.filter((row) => row.place === place);
      const waiting = Promise.all(here.filter(waits).map(missesOf));
      const misses: string[] = [];
      for (const row of here) if (!waits(row)) misses.push(...(await missesOf(row)));
      expect([...misses, ...(await waiting).flat()]).to.deep.equal([]);
    });
  }

  it('lists only differences that the table has and the documentation explains', () => {
    const titles = rows.map(({ title }) => title);
    expect([...differences.keys()].filter((title) => !titles.includes(title))).to.deep.equal([]);
    expect([...documentedIds()]).to.include.members([...new Set(differences.values())]);
  });
});
