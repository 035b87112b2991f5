/** Makes formulas and records what expr, the library of KEDA, answers: `npx tsx scripts/record-formulas.ts` (needs Go). */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { seededRandom } from '../test/support/seeded-random.ts';
import { makeFormula } from './make-formula.ts';

const COUNT = 500;
const VALUES = { a: 10, b: 4, c: -2.5 };

const random = seededRandom(21);
const made = new Set<string>();
while (made.size < COUNT) made.add(makeFormula(random));
const listed = readFileSync('test/keda/formulas.txt', 'utf8').trim().split('\n');

const questions = [...listed, ...made].map((formula) =>
  JSON.stringify({ formula, values: VALUES }),
);
const answers = execFileSync('go', ['run', '.'], {
  cwd: 'scripts/formula-answers',
  input: `${questions.join('\n')}\n`,
  encoding: 'utf8',
});
writeFileSync('test/keda/formulas.jsonl', answers);
