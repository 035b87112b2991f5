import { expect } from 'chai';
import { type Case, OracleRun } from './oracle-harness.ts';

/** The cases that did not answer as ansible-core did, as readable lines. */
function misses(cases: readonly Case[]): readonly string[] {
  return cases.flatMap(({ title, expected, actual }) => {
    const got = actual();
    return got === expected ? [] : [`${title}: expected ${expected}, got ${got}`];
  });
}

/** The oracle was recorded without the collection that these come from. */
const OF_COLLECTIONS = /\b(json_query|flattened)\b/;

describe('Jinja with the filters of collections', () => {
  const run = new OracleRun(new URL('oracle.json', import.meta.url), true);
  after(() => run.remove());

  it('differs from ansible-core alone in knowing them', () => {
    const different = misses([...run.expressions(), ...run.templates(), ...run.conditions()]);
    expect(different.filter((miss) => !OF_COLLECTIONS.test(miss))).to.deep.equal([]);
    expect(different).to.have.length(3);
  });
});

for (const file of ['oracle.json', 'oracle-more.json', 'oracle-undefined.json']) {
  describe(`Jinja against the answers of ansible-core in ${file}`, () => {
    const run = new OracleRun(new URL(file, import.meta.url));
    after(() => run.remove());

    it('gives the same value for every expression', () => {
      expect(misses(run.expressions())).to.deep.equal([]);
    });

    it('writes the same text for every template file', () => {
      expect(misses(run.templates())).to.deep.equal([]);
    });

    it('decides every condition in the same way', () => {
      expect(misses(run.conditions())).to.deep.equal([]);
    });

    it('gives the same value for every task argument', () => {
      expect(misses(run.args())).to.deep.equal([]);
    });
  });
}
