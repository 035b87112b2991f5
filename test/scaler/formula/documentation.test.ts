import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FUNCTIONS } from '../../../src/scaler/formula/calls.ts';
import { compileFormula } from '../../../src/scaler/formula/formula.ts';
import { PREDICATES } from '../../../src/scaler/formula/predicates.ts';
import { ROOT } from '../../support/source-files.ts';

const page = readFileSync(join(ROOT, 'docs/formulas.md'), 'utf8');
const [, functions = ''] = page.split('## Functions');

describe('the page of formulas', () => {
  it('names every function, and no other', () => {
    const cells = [...functions.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell = '']) => cell);
    const named = cells.flatMap((cell) => [...cell.matchAll(/\w+/g)].map(([name]) => name));
    expect(named.sort()).to.deep.equal(
      [...Object.keys(FUNCTIONS), ...Object.keys(PREDICATES)].sort(),
    );
  });

  it('shows a formula that works', () => {
    const [, formula = ''] = /formula: "(.*)"/.exec(page) ?? [];
    expect(compileFormula(formula, ['waiting', 'load']).evaluate({ waiting: 3, load: 4 })).to.equal(
      8,
    );
  });

  /** Each binds more tightly than the one before it. */
  const ORDER = [
    ['1 + 2 * 3', 7],
    ['2 * -3 ** 2', -18],
    ['not (1 > 2) and 2 > 1 ? 1 : 0', 1],
    ['1 + 1 == 2 or 1 / 0 > 0 ? 1 : 0', 1],
    ['2 ** 3 ?? 1', 8],
    ['-(1 + 1) ?: 3', 'true or false is needed and not a number at column 1'],
  ] as const;
  for (const [formula, expected] of ORDER) {
    it(`tells the order of operators: ${formula}`, () => {
      const run = () => compileFormula(formula, []).evaluate({});
      if (typeof expected === 'number') expect(run()).to.equal(expected);
      else expect(run).to.throw(expected);
    });
  }
});
