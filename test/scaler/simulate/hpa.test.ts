import { expect } from 'chai';
import fc from 'fast-check';
import type { HpaBehavior } from '../../../src/scaler/resources/hpa-behavior.ts';
import {
  DEFAULT_CONTROLLER,
  type HpaDecision,
  type HpaSpec,
  NEW_HPA,
  syncHpa,
} from '../../../src/scaler/simulate/hpa.ts';
import type { HpaMetric } from '../../../src/scaler/simulate/hpa-metrics.ts';

const QUEUE: HpaMetric = { type: 'AverageValue', target: 10 };
const spec = (behavior?: HpaBehavior, metrics: readonly HpaMetric[] = [QUEUE]): HpaSpec => ({
  minReplicas: 1,
  maxReplicas: 100,
  metrics,
  behavior,
});

/** Syncs every 15 s, each with the values given; all pods are ready at once. */
function run(
  hpa: HpaSpec,
  start: number,
  values: readonly (readonly (number | undefined)[])[],
): readonly HpaDecision[] {
  let replicas = start;
  let state = NEW_HPA;
  return values.map((each, index) => {
    const decision = syncHpa(hpa, state, {
      nowMs: index * DEFAULT_CONTROLLER.syncPeriodMs,
      specReplicas: replicas,
      statusReplicas: replicas,
      readyReplicas: replicas,
      values: each,
    });
    ({ replicas, state } = decision);
    return decision;
  });
}

const steady = (value: number | undefined, count: number) =>
  Array.from({ length: count }, () => [value]);
const counts = (decisions: readonly HpaDecision[]) => decisions.map(({ replicas }) => replicas);
const reasons = (decisions: readonly HpaDecision[]) => decisions.map(({ reason }) => reason);

describe('the simulated HPA', () => {
  describe('computes replicas', () => {
    const CASES: readonly (readonly [
      title: string,
      metric: HpaMetric,
      replicas: number,
      value: number,
      wanted: number,
    ])[] = [
      ['as many as share the value', QUEUE, 4, 71, 8],
      ['none more within the tolerance', QUEUE, 10, 110, 10],
      ['one more just above it', QUEUE, 10, 110.1, 12],
      ['none less within the tolerance', QUEUE, 10, 90, 10],
      ['a thousandth counts', QUEUE, 1, 40.001, 5],
      ['by the ratio', { type: 'Value', target: 10 }, 4, 15, 6],
      ['by the ratio within the tolerance', { type: 'Value', target: 10 }, 4, 11, 4],
      ['by the load of the average pod', { type: 'PerPod', target: 50 }, 3, 90, 6],
    ];
    for (const [title, metric, replicas, value, wanted] of CASES) {
      it(title, () => {
        const [decision] = run(spec(undefined, [metric]), replicas, [[value]]);
        expect(decision?.proposals).to.deep.equal([wanted]);
      });
    }

    it('by the ready pods where the value is a ratio', () => {
      const hpa = spec(undefined, [{ type: 'Value', target: 10 }]);
      const seen = { nowMs: 0, specReplicas: 4, statusReplicas: 4, readyReplicas: 2, values: [30] };
      expect(syncHpa(hpa, NEW_HPA, seen).proposals).to.deep.equal([6]);
    });

    it('with a tolerance for each direction', () => {
      const behavior = { scaleUp: { tolerance: '0' }, scaleDown: { tolerance: '0.5' } };
      expect(run(spec(behavior), 10, [[101]])[0]?.proposals).to.deep.equal([11]);
      expect(run(spec(behavior), 10, [[51]])[0]?.proposals).to.deep.equal([10]);
    });
  });

  describe('with several metrics', () => {
    const two = spec(undefined, [QUEUE, QUEUE]);
    it('takes the highest', () => {
      expect(counts(run(two, 2, [[20, 35]]))).to.deep.equal([4]);
    });
    it('grows on what it can read', () => {
      expect(counts(run(two, 2, [[40, undefined]]))).to.deep.equal([4]);
    });
    it('does not shrink while one cannot be read', () => {
      const decisions = run(two, 8, [[10, undefined], ...steady(undefined, 40)]);
      expect(counts(decisions).every((count) => count === 8)).to.equal(true);
      expect(reasons(decisions)[0]).to.equal('MetricsUnavailable');
    });
    it('does nothing while none can be read', () => {
      expect(reasons(run(two, 8, [[undefined, undefined]]))).to.deep.equal(['MetricsUnavailable']);
    });
  });

  describe('at its limits', () => {
    it('leaves a target of zero alone', () => {
      expect(run(spec(), 0, [[500]])[0]).to.include({ replicas: 0, reason: 'ScalingDisabled' });
    });
    it('goes to the most at once where there are more', () => {
      const decision = run({ ...spec(), maxReplicas: 5 }, 9, [[1]])[0];
      expect(decision).to.include({ replicas: 5, reason: 'TooManyReplicas' });
    });
    it('goes to the least at once where there are fewer', () => {
      const decision = run({ ...spec(), minReplicas: 3 }, 1, [[0]])[0];
      expect(decision).to.include({ replicas: 3, reason: 'TooFewReplicas' });
    });
    it('never goes beyond the most', () => {
      expect(counts(run({ ...spec(), maxReplicas: 7 }, 4, steady(1000, 3)))).to.deep.equal([
        7, 7, 7,
      ]);
    });
  });

  describe('without behavior', () => {
    it('grows to 4 or to twice as many in each sync', () => {
      const decisions = run(spec(), 1, steady(1000, 7));
      expect(counts(decisions)).to.deep.equal([4, 8, 16, 32, 64, 100, 100]);
      expect(reasons(decisions).slice(0, 2)).to.deep.equal(['ScaleUpLimit', 'ScaleUpLimit']);
    });
    it('shrinks when five minutes have asked for it', () => {
      const decisions = run(spec(), 8, [[80], ...steady(20, 22)]);
      // The sync at 300 s still looks at the one at 0 s.
      expect(counts(decisions)).to.deep.equal([...Array.from({ length: 21 }, () => 8), 2, 2]);
      expect(reasons(decisions)[5]).to.equal('ScaleDownStabilized');
    });
    it('remembers the replicas that it first saw', () => {
      const decisions = run(spec(), 8, steady(20, 22));
      expect(counts(decisions).indexOf(2)).to.equal(21);
    });
    it('shrinks only to the highest of the window', () => {
      const wave = Array.from({ length: 60 }, (_, index) => [index % 8 === 0 ? 60 : 10]);
      expect(counts(run(spec(), 8, wave)).at(-1)).to.equal(6);
    });
  });

  describe('with behavior', () => {
    it('grows by 4 pods or doubles in 15 s where nothing else is said', () => {
      expect(counts(run(spec({}), 1, steady(1000, 6)))).to.deep.equal([5, 10, 20, 40, 80, 100]);
    });
    it('shrinks all at once after five minutes where nothing else is said', () => {
      const decisions = run(spec({}), 8, steady(10, 22));
      // The window does not hold the recommendation of exactly 300 s ago.
      expect(counts(decisions).indexOf(1)).to.equal(20);
    });
    it('keeps to pods in a period', () => {
      const policies = [{ type: 'Pods', value: 2, periodSeconds: 60 }] as const;
      const decisions = run(spec({ scaleUp: { policies } }), 1, steady(1000, 9));
      expect(counts(decisions)).to.deep.equal([3, 3, 3, 3, 5, 5, 5, 5, 7]);
      expect(reasons(decisions)[1]).to.equal('ScaleUpLimit');
    });
    it('keeps to a share in a period', () => {
      const policies = [{ type: 'Percent', value: 10, periodSeconds: 15 }] as const;
      const behavior = { scaleDown: { policies, stabilizationWindowSeconds: 0 } };
      expect(counts(run(spec(behavior), 80, steady(100, 4)))).to.deep.equal([72, 64, 57, 51]);
    });
    it('rounds growth by a share as the controller does', () => {
      const policies = [{ type: 'Percent', value: 10, periodSeconds: 15 }] as const;
      expect(counts(run(spec({ scaleUp: { policies } }), 50, [[1000]]))).to.deep.equal([56]);
    });
    const BOTH = [
      { type: 'Pods', value: 4, periodSeconds: 60 },
      { type: 'Percent', value: 10, periodSeconds: 60 },
    ] as const;
    it('takes the policy of the greatest change', () => {
      const behavior = { scaleDown: { policies: BOTH, stabilizationWindowSeconds: 0 } };
      expect(counts(run(spec(behavior), 80, [[10]]))).to.deep.equal([72]);
      expect(counts(run(spec(behavior), 20, [[10]]))).to.deep.equal([16]);
    });
    it('takes the policy of the least change where it is told', () => {
      const scaleDown = {
        policies: BOTH,
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Min',
      } as const;
      expect(counts(run(spec({ scaleDown }), 80, [[10]]))).to.deep.equal([76]);
    });
    it('does not move in a direction that is disabled', () => {
      const behavior = { scaleUp: { selectPolicy: 'Disabled' } } as const;
      expect(counts(run(spec(behavior), 3, steady(1000, 3)))).to.deep.equal([3, 3, 3]);
    });
    it('counts what was taken away as there when a period begins', () => {
      const policies = [{ type: 'Pods', value: 5, periodSeconds: 60 }] as const;
      const behavior = { scaleUp: { policies }, scaleDown: { stabilizationWindowSeconds: 0 } };
      expect(counts(run(spec(behavior), 10, [[20], [1000]]))).to.deep.equal([2, 15]);
    });
    it('grows only as far as the whole window asks for', () => {
      const behavior = { scaleUp: { stabilizationWindowSeconds: 60 } };
      const decisions = run(spec(behavior), 1, [[10], ...steady(40, 5)]);
      expect(counts(decisions)).to.deep.equal([1, 1, 1, 1, 4, 4]);
      expect(reasons(decisions)[1]).to.equal('ScaleUpStabilized');
    });
  });

  it('stays between its limits and within its policies, whatever the values', () => {
    const values = fc.array(
      fc.option(fc.double({ min: 0, max: 5000, noNaN: true }), { nil: undefined }),
      {
        minLength: 1,
        maxLength: 60,
      },
    );
    const policy = fc.record({
      type: fc.constantFrom('Pods', 'Percent'),
      value: fc.integer({ min: 1, max: 200 }),
      periodSeconds: fc.integer({ min: 1, max: 120 }),
    });
    const rules = fc.record(
      {
        stabilizationWindowSeconds: fc.integer({ min: 0, max: 400 }),
        selectPolicy: fc.constantFrom('Max', 'Min', 'Disabled'),
        policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: [] },
    );
    const behavior = fc.option(
      fc.record({ scaleUp: rules, scaleDown: rules }, { requiredKeys: [] }),
      {
        nil: undefined,
      },
    );
    fc.assert(
      fc.property(behavior, fc.integer({ min: 2, max: 50 }), values, (given, start, series) => {
        const hpa = { ...spec(given as HpaBehavior | undefined), minReplicas: 2, maxReplicas: 50 };
        const decisions = run(
          hpa,
          start,
          series.map((value) => [value]),
        );
        const steps = decisions.map(({ replicas }, index) => ({
          replicas,
          change: replicas - (decisions[index - 1]?.replicas ?? start),
          isBlind: series[index] === undefined,
        }));
        const isWithin = steps.every(({ replicas }) => replicas >= 2 && replicas <= 50);
        expect(isWithin, 'limits').to.equal(true);
        expect(
          steps.some(({ change, isBlind }) => isBlind && change !== 0),
          'blind',
        ).to.equal(false);
        expect(mayMove(steps, given?.scaleUp?.selectPolicy, 1), 'up').to.equal(true);
        expect(mayMove(steps, given?.scaleDown?.selectPolicy, -1), 'down').to.equal(true);
      }),
    );
  });
});

function mayMove(steps: readonly { change: number }[], policy: string | undefined, sign: number) {
  return policy !== 'Disabled' || steps.every(({ change }) => sign * change <= 0);
}
