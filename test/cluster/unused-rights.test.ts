/** The operators of all suites before had the rights that the role declares. */
import { expect } from 'chai';
import { rightsRecord } from '../support/cluster/rights.ts';
import { skipFor } from '../support/skip.ts';

/** What no request shows, or not each time. */
const UNSEEN = {
  'scaler-operator: update scaledobjects/finalizers of scaler.tsprov.dev':
    'asked for by the API server itself, where the cluster guards owner references',
  'scaler-operator: update scaledjobs/finalizers of scaler.tsprov.dev':
    'asked for by the API server itself, where the cluster guards owner references',
};

describe('The rights of the operator', () => {
  before(function () {
    const isAlone = rightsRecord.granted.size === 0;
    skipFor(isAlone ? 'it looks at what the suites before have done' : undefined, this);
  });

  it('are enough', () => expect([...rightsRecord.refused]).to.deep.equal([]));

  it('are all used', () => {
    expect(rightsRecord.unused.filter((right) => !(right in UNSEEN))).to.deep.equal([]);
  });
});
