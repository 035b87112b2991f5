import { expect } from 'chai';
import { isWorthWriting } from '../../../src/scaler/controller/status.ts';
import type { ScaledObjectStatus } from '../../../src/scaler/resources/scaled-object.ts';

/** A status whose one trigger was read so many seconds after noon. */
function statusAt(seconds: number, value: number, isActive = true): ScaledObjectStatus {
  const time = new Date(Date.UTC(2026, 0, 1, 12, 0, seconds)).toISOString();
  const trigger = { index: 0, type: 'cron', failures: 0, isActive, value, lastSuccessTime: time };
  return { lastActiveTime: time, triggers: [trigger] };
}

describe('A status', () => {
  for (const { objects, seconds } of [
    { objects: 1, seconds: 60 },
    { objects: 600, seconds: 60 },
    { objects: 5000, seconds: 500 },
  ]) {
    it(`of which only values and times change is written every ${seconds} s by ${objects}`, () => {
      const before = statusAt(0, 1);
      expect(isWorthWriting(before, statusAt(seconds - 1, 2), objects)).to.equal(false);
      expect(isWorthWriting(before, statusAt(seconds, 2), objects)).to.equal(true);
    });
  }

  it('that says something new is written at once, of however many', () => {
    expect(isWorthWriting(statusAt(0, 1), statusAt(1, 0, false), 5000)).to.equal(true);
  });

  it('is written where there was none', () => {
    expect(isWorthWriting(undefined, statusAt(0, 1), 5000)).to.equal(true);
  });
});
