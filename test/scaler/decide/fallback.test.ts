import { expect } from 'chai';
import {
  fallbackValue,
  healthAfter,
  isInForce,
  validFallback,
} from '../../../src/scaler/decide/fallback.ts';
import type { Fallback, ScaledObjectSpec } from '../../../src/scaler/resources/scaled-object.ts';

const base = { failureThreshold: 3, replicas: 3 };

describe('fallback', () => {
  const CASES: readonly (readonly [Fallback['behavior'], number, number])[] = [
    [undefined, 8, 15],
    ['static', 8, 15],
    ['currentReplicas', 8, 40],
    ['currentReplicasIfHigher', 8, 40],
    ['currentReplicasIfHigher', 2, 15],
    ['currentReplicasIfLower', 8, 15],
    ['currentReplicasIfLower', 2, 10],
  ];
  for (const [behavior, currentReplicas, expected] of CASES) {
    it(`${behavior ?? 'without a behavior'} at ${currentReplicas} replicas gives ${expected}`, () => {
      const fallback = { ...base, ...(behavior !== undefined && { behavior }) };
      expect(
        fallbackValue({
          fallback,
          target: 5,
          metricType: undefined,
          currentReplicas,
          readyReplicas: 0,
        }),
      ).to.equal(expected);
    });
  }

  it('shares a Value among the ready pods, and refuses where there is none', () => {
    const situation = {
      fallback: base,
      target: 6,
      metricType: 'Value',
      currentReplicas: 2,
    } as const;
    expect(fallbackValue({ ...situation, readyReplicas: 2 })).to.equal(9);
    expect(() => fallbackValue({ ...situation, readyReplicas: 0 })).to.throw('no pod is ready');
  });

  it('is in force only above the threshold, and ends with one success', () => {
    let health = healthAfter(undefined, true);
    const states = [1, 2, 3, 4].map(() => {
      health = healthAfter(health, false);
      return isInForce(base, health);
    });
    expect(states).to.deep.equal([false, false, false, true]);
    expect(isInForce(base, healthAfter(health, true))).to.equal(false);
  });

  it('needs a target above zero where there is a formula', () => {
    const spec = (target: string) =>
      ({
        fallback: base,
        advanced: { scalingModifiers: { formula: 'a', target } },
      }) as unknown as ScaledObjectSpec;
    expect(validFallback(spec('2.5'))).to.equal(base);
    expect(validFallback(spec('0'))).to.equal(undefined);
  });
});
