import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { compileFormula } from '../../src/scaler/formula/formula.ts';
import { FormulaError } from '../../src/scaler/formula/formula-error.ts';

/** A formula, and what expr made of it the way KEDA asks it (scripts/record-formulas.ts). */
interface Recorded {
  readonly formula: string;
  readonly values: Readonly<Record<string, number>>;
  readonly result?: number;
  readonly error?: string;
}

/** Rows of docs/differences-keda.md, and the formulas that they are about. */
const DIFFERENCES: Readonly<Record<string, (recorded: Recorded, ours: Answer) => boolean>> = {
  'formulas-lenient': ({ error = '' }, ours) =>
    typeof ours === 'number' &&
    /mismatched types|cannot use|bool [+] float64|support indexing|token EOF/.test(error),
  'formulas-missing': ({ formula }) => /^(?:date|string|len\(fromBase64)\(/.test(formula),
};

type Answer = number | 'an error';

describe('Formulas: the answers of expr', () => {
  const all = readFileSync('test/keda/formulas.jsonl', 'utf8')
    .trim()
    .split('\n')
    .map((line): Recorded => JSON.parse(line));
  const rows = readFileSync('docs/differences-keda.md', 'utf8');

  it(`are equal for all ${all.length}, of which 500 are generated`, () => {
    expect(all.length).to.be.at.least(700);
    const different = all
      .map((recorded) => ({ recorded, ours: answer(recorded) }))
      .filter(({ recorded: { result }, ours }) => ours !== (result ?? 'an error'))
      .filter(({ recorded, ours }) => {
        const id = Object.keys(DIFFERENCES).find((each) => DIFFERENCES[each]?.(recorded, ours));
        return id === undefined || !rows.includes(`| \`${id}\` |`);
      });
    expect(different).to.deep.equal([]);
  });

  for (const [id, isMeant] of Object.entries(DIFFERENCES)) {
    it(`differ as told by ${id}`, () => {
      const found = all.filter((recorded) => {
        const ours = answer(recorded);
        return ours !== (recorded.result ?? 'an error') && isMeant(recorded, ours);
      });
      expect(found).not.to.be.empty;
    });
  }
});

function answer({ formula, values }: Recorded): Answer {
  try {
    const result = compileFormula(formula, Object.keys(values)).evaluate(values);
    return result === undefined ? 'an error' : result + 0;
  } catch (error) {
    if (error instanceof FormulaError) return 'an error';
    throw error;
  }
}
