import { expect } from 'chai';
import {
  combineQueues,
  jobBoundsOf,
  jobsToStart,
  type QueueReading,
} from '../../../src/scaler/decide/job-scaling.ts';
import type { ScaledJobSpec } from '../../../src/scaler/resources/scaled-job.ts';

type Strategy = NonNullable<ScaledJobSpec['scalingStrategy']>;

/** Strategy, the most that the queue asks for, running, pending, cap; then the Jobs to start. */
const WORKED: readonly (readonly [Strategy, number, number, number, number, number])[] = [
  [{ strategy: 'default' }, 3, 2, 0, 10, 1],
  [{ strategy: 'default' }, 3, 0, 0, 3, 3],
  [{ strategy: 'default' }, 3, 1, 0, 3, 2],
  [{ strategy: 'default' }, 1, 0, 0, 3, 1],
  [custom(1, '0.5'), 3, 2, 0, 5, 1],
  [custom(1, '0.5'), 10, 0, 0, 10, 9],
  [custom(1, 'half'), 3, 2, 0, 10, 1],
  [{ strategy: 'accurate' }, 3, 2, 0, 5, 3],
  [{ strategy: 'accurate' }, 5, 2, 0, 5, 3],
  [{ strategy: 'accurate' }, 3, 4, 2, 10, 1],
  [{ strategy: 'accurate' }, 5, 4, 2, 5, 1],
  [{ strategy: 'accurate' }, 3, 3, 3, 5, 0],
  [{ strategy: 'accurate' }, 20, 15, 10, 20, 5],
  [{ strategy: 'eager' }, 4, 3, 0, 10, 4],
  [{ strategy: 'eager' }, 4, 7, 0, 10, 3],
  [{ strategy: 'eager' }, 4, 1, 6, 10, 3],
  [{ strategy: 'eager' }, 15, 0, 0, 10, 10],
];

function custom(deduction: number, percentage: string): Strategy {
  return {
    strategy: 'custom',
    customScalingQueueLengthDeduction: deduction,
    customScalingRunningJobPercentage: percentage,
  };
}

const reading = (length: number, target = 1, isActive = length > 0): QueueReading => ({
  length,
  target,
  isActive,
});

describe('jobsToStart', () => {
  for (const [strategy, maxScale, running, pending, cap, expected] of WORKED) {
    it(`${strategy.strategy}: ${maxScale} wanted, ${running} running, ${pending} pending, cap ${cap} → ${expected}`, () => {
      const queue = { isActive: true, scaleTo: 100, maxScale };
      const jobs = jobsToStart(queue, { running, pending }, { min: 0, cap }, strategy);
      expect(jobs).to.equal(expected);
    });
  }

  it('fills up to the least first, and only that', () => {
    const queue = { isActive: true, scaleTo: 10, maxScale: 10 };
    expect(jobsToStart(queue, { running: 1, pending: 0 }, { min: 3, cap: 7 }, undefined)).to.equal(
      2,
    );
  });

  it('starts nothing for a queue that is empty', () => {
    const queue = combineQueues([reading(0)], { min: 0, cap: 5 });
    expect(
      jobsToStart(queue, { running: 0, pending: 0 }, { min: 0, cap: 5 }, { strategy: 'eager' }),
    ).to.equal(0);
  });
});

describe('combineQueues', () => {
  const bounds = { min: 0, cap: 100 };
  const readings = [reading(10, 2), reading(4, 1), reading(7, 7), reading(90, 1, false)];
  const CASES = [
    ['max', 10, 5],
    ['min', 4, 4],
    ['avg', 7, 4],
    ['sum', 21, 10],
  ] as const;
  for (const [calculation, scaleTo, maxScale] of CASES) {
    it(`takes the ${calculation} of the active triggers`, () => {
      expect(combineQueues(readings, bounds, calculation)).to.deep.equal({
        isActive: true,
        scaleTo,
        maxScale,
      });
    });
  }

  it('leaves an active trigger with an empty queue inactive', () => {
    expect(combineQueues([reading(0, 1, true)], bounds).isActive).to.equal(false);
  });

  it('keeps within the cap', () => {
    expect(combineQueues([reading(10)], { min: 0, cap: 3 }).maxScale).to.equal(3);
  });

  it('is active where there is a least', () => {
    expect(combineQueues([], { min: 1, cap: 3 }).isActive).to.equal(true);
  });
});

describe('jobBoundsOf', () => {
  const spec = (minReplicaCount?: number, maxReplicaCount?: number) =>
    ({ minReplicaCount, maxReplicaCount }) as ScaledJobSpec;
  it('takes the least off the most where the most is set', () => {
    expect(jobBoundsOf(spec(2, 10))).to.deep.equal({ min: 2, cap: 8 });
    expect(jobBoundsOf(spec(2))).to.deep.equal({ min: 2, cap: 100 });
    expect(jobBoundsOf(spec(20, 10))).to.deep.equal({ min: 10, cap: 0 });
  });
});
