import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { firstDelayMs } from '../../../src/scaler/decide/poll-times.ts';

describe('the first poll of an object that is taken over', () => {
  it('comes within its interval and 10 s, always at the same moment', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 3600 }), (uid, seconds) => {
        const delayMs = firstDelayMs(uid, seconds * 1000);
        expect(delayMs).to.be.within(0, Math.min(seconds, 10) * 1000);
        expect(firstDelayMs(uid, seconds * 1000)).to.equal(delayMs);
      }),
    );
  });

  it('spreads objects', () => {
    const perSecond = new Array<number>(10).fill(0);
    for (let index = 0; index < 1000; index++) {
      const second = Math.floor(firstDelayMs(randomUUID(), 30_000) / 1000);
      perSecond[second] = (perSecond[second] ?? 0) + 1;
    }
    // A hundred are expected in each; six standard deviations are allowed.
    expect(Math.min(...perSecond)).to.be.at.least(40);
    expect(Math.max(...perSecond)).to.be.at.most(160);
  });
});
