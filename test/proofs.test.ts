import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './support/source-files.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Pages that name proofs, and how many rows of the specification each has at least. */
const PAGES = [
  ['docs/node-preparation.md', 15],
  ['docs/scaler.md', 25],
  ['docs/install-scaler.md', 15],
] as const;
const HEADS = /^\| (?!object|trigger \||interface \||rule \||---)/;

for (const [path, rowCount] of PAGES) {
  const page = read(path);

  /** Every file that the page names as a proof, with the titles that it quotes of it. */
  const proofs = [...page.matchAll(/`(test\/[\w/.-]+)`((?:,? ?«[^»]+»)*)/g)].map(
    ([, file = '', titles = '']) => ({
      file,
      titles: [...titles.matchAll(/«([^»]+)»/g)].map(([, title = '']) => title),
    }),
  );

  describe(`the proofs that ${path} names`, () => {
    for (const { file, titles } of proofs.filter((proof) => proof.titles.length > 0)) {
      for (const title of titles) {
        it(`has in ${file}: ${title}`, () => expect(read(file)).to.include(title));
      }
    }

    it('stand in every row of the tables', () => {
      const [, tables = ''] = page.split('## What is proved, and where');
      const rows = tables.split('\n').filter((line) => HEADS.test(line));
      expect(rows).to.have.length.above(rowCount - 1);
      for (const row of rows) expect(row).to.match(/`test\/[^`]+` «[^»]+»/);
    });
  });
}
