import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { nextPollMs, phaseOf } from '../../../src/scaler/decide/poll-times.ts';

const phases = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const seconds = fc.integer({ min: 1, max: 3600 });
const moments = fc.double({ min: 0, max: 1e10, noNaN: true });

describe('the next poll', () => {
  it('is later, and never by more than an interval', () => {
    fc.assert(
      fc.property(moments, seconds, phases, (startMs, interval, phase) => {
        const next = nextPollMs(startMs, interval * 1000, phase);
        expect(next).to.be.greaterThan(startMs);
        expect(next - startMs).to.be.at.most(interval * 1000);
      }),
    );
  });

  it('comes an interval after one that was in time, and at the same moment after one that was late', () => {
    fc.assert(
      fc.property(moments, seconds, phases, phases, (startMs, interval, phase, late) => {
        const second = nextPollMs(startMs, interval * 1000, phase);
        const third = second + interval * 1000;
        expect(nextPollMs(second, interval * 1000, phase)).to.equal(third);
        const lateMs = second + Math.floor(late * interval * 1000);
        expect(nextPollMs(lateMs, interval * 1000, phase)).to.equal(third);
      }),
    );
  });

  it('spreads objects over the interval', () => {
    const perSecond = new Array<number>(30).fill(0);
    for (let index = 0; index < 3000; index++) {
      const second = Math.floor(nextPollMs(0, 30_000, phaseOf(randomUUID())) / 1000) % 30;
      perSecond[second] = (perSecond[second] ?? 0) + 1;
    }
    // A hundred are expected in each; six standard deviations are allowed.
    expect(Math.min(...perSecond)).to.be.at.least(40);
    expect(Math.max(...perSecond)).to.be.at.most(160);
  });
});
