import { expect } from 'chai';
import fc from 'fast-check';
import { type Activity, decide, type Situation } from '../../../src/scaler/decide/decide.ts';

const IDLE: Activity = { isActive: false, hasError: false, errors: [], activeMetrics: [] };
const BUSY: Activity = { ...IDLE, isActive: true, activeMetrics: ['s0-q'] };
const BROKEN: Activity = { ...IDLE, hasError: true, errors: ['queue is away'] };
const HALF: Activity = { ...BUSY, hasError: true, errors: ['queue is away'] };
const NOW = 1_000_000;

const BASE: Situation = {
  bounds: { min: 0, max: 10, idle: undefined, cooldownSeconds: 300, initialCooldownSeconds: 0 },
  replicas: 0,
  activity: IDLE,
  isForced: false,
  isPaused: false,
  holdsScaleIn: false,
  holdsScaleOut: false,
  fallback: undefined,
  lastActiveMs: undefined,
  createdMs: 0,
  nowMs: NOW,
};
const bounds = (changes: Partial<Situation['bounds']>) => ({ ...BASE.bounds, ...changes });
const recent = { lastActiveMs: NOW - 299_000 };
const longAgo = { lastActiveMs: NOW - 300_000 };
const zeroFallback = { replicas: 0, isInForce: true };

/** Situation, then the replicas to write (undefined: none), and the reason of Ready and of Active. */
const ROWS: readonly (readonly [
  string,
  Partial<Situation>,
  number | undefined,
  string,
  string?,
])[] = [
  ['unreadable target', { replicas: { error: 'gone' } }, undefined, 'ErrorGettingCurrentReplicas'],
  ['paused', { isPaused: true, activity: BUSY }, undefined, ''],
  ['active at zero', { activity: BUSY }, 1, 'ScaledObjectReady', 'ScalerActive'],
  [
    'active at zero with a least',
    { activity: BUSY, bounds: bounds({ min: 3 }) },
    3,
    'ScaledObjectReady',
    'ScalerActive',
  ],
  ['forced at zero', { isForced: true }, 1, 'ScaledObjectReady', 'ScalerActive'],
  [
    'active at zero, scale-out paused',
    { activity: BUSY, holdsScaleOut: true },
    undefined,
    'ScaledObjectReady',
    'ScalerActive',
  ],
  [
    'active at idle',
    { activity: BUSY, replicas: 1, bounds: bounds({ min: 2, idle: 1 }) },
    2,
    'ScaledObjectReady',
    'ScalerActive',
  ],
  [
    'active below the least without idle',
    { activity: BUSY, replicas: 1, bounds: bounds({ min: 2 }) },
    undefined,
    'ScaledObjectReady',
    'ScalerActive',
  ],
  [
    'active and running',
    { activity: BUSY, replicas: 4 },
    undefined,
    'ScaledObjectReady',
    'ScalerActive',
  ],
  [
    'active with an error',
    { activity: HALF, replicas: 4 },
    undefined,
    'PartialTriggerError',
    'ScalerActive',
  ],
  ['active with an error at zero', { activity: HALF }, 1, 'PartialTriggerError', 'ScalerActive'],
  [
    'error without fallback',
    { activity: BROKEN, replicas: 4, ...longAgo },
    undefined,
    'TriggerError',
    'ScalerNotActive',
  ],
  [
    'error with a fallback',
    { activity: BROKEN, replicas: 4, ...longAgo, fallback: { replicas: 2, isInForce: true } },
    undefined,
    'PartialTriggerError',
    'ScalerNotActive',
  ],
  [
    'error, fallback of zero not yet in force',
    { activity: BROKEN, replicas: 4, ...longAgo, fallback: { ...zeroFallback, isInForce: false } },
    undefined,
    'PartialTriggerError',
    'ScalerNotActive',
  ],
  [
    'error, fallback of zero in force',
    { activity: BROKEN, replicas: 4, ...longAgo, fallback: zeroFallback },
    0,
    'PartialTriggerError',
    'ScalerNotActive',
  ],
  ['inactive, never active', { replicas: 4 }, 0, 'ScaledObjectReady', 'ScalerNotActive'],
  [
    'inactive, never active, initial cooldown',
    { replicas: 4, bounds: bounds({ initialCooldownSeconds: 1001 }) },
    undefined,
    'ScaledObjectReady',
    'ScalerCooldown',
  ],
  [
    'inactive, initial cooldown over',
    { replicas: 4, bounds: bounds({ initialCooldownSeconds: 1000 }) },
    0,
    'ScaledObjectReady',
    'ScalerNotActive',
  ],
  [
    'inactive in the cooldown',
    { replicas: 4, ...recent },
    undefined,
    'ScaledObjectReady',
    'ScalerCooldown',
  ],
  [
    'inactive after the cooldown',
    { replicas: 4, ...longAgo },
    0,
    'ScaledObjectReady',
    'ScalerNotActive',
  ],
  [
    'inactive after the cooldown, scale-in paused',
    { replicas: 4, ...longAgo, holdsScaleIn: true },
    undefined,
    'ScaledObjectReady',
    'ScalerNotActive',
  ],
  [
    'inactive, idle count',
    { replicas: 4, ...longAgo, bounds: bounds({ min: 2, idle: 1 }) },
    1,
    'ScaledObjectReady',
    'ScalerNotActive',
  ],
  [
    'inactive at idle',
    { replicas: 1, ...longAgo, bounds: bounds({ min: 2, idle: 1 }) },
    undefined,
    'ScaledObjectReady',
    'ScalerNotActive',
  ],
  [
    'inactive with a least',
    { replicas: 4, ...longAgo, bounds: bounds({ min: 1 }) },
    undefined,
    'ScaledObjectReady',
    'ScalerNotActive',
  ],
  [
    'inactive below the least',
    { replicas: 1, bounds: bounds({ min: 2 }) },
    2,
    'ScaledObjectReady',
    'ScalerNotActive',
  ],
  ['inactive at zero', {}, undefined, 'ScaledObjectReady', 'ScalerNotActive'],
];

describe('decide', () => {
  for (const [title, changes, replicas, ready, active] of ROWS) {
    it(title, () => {
      const decision = decide({ ...BASE, ...changes });
      const reasonOf = (type: string) =>
        decision.findings.find((finding) => finding.type === type)?.reason;
      expect([decision.replicas, reasonOf('Ready') ?? '', reasonOf('Active')]).to.deep.equal([
        replicas,
        ready,
        active,
      ]);
    });
  }

  it('counts as activity only what was read without an error, or forced', () => {
    const activityOf = (changes: Partial<Situation>) =>
      decide({ ...BASE, replicas: 4, ...changes }).isActivity;
    expect(activityOf({ activity: BUSY })).to.equal(true);
    expect(activityOf({ activity: HALF })).to.equal(false);
    expect(activityOf({ activity: IDLE })).to.equal(false);
    expect(activityOf({ isForced: true })).to.equal(true);
  });

  const situations = fc.record({
    replicas: fc.nat({ max: 12 }),
    isActive: fc.boolean(),
    hasError: fc.boolean(),
    isForced: fc.boolean(),
    isPaused: fc.boolean(),
    holdsScaleIn: fc.boolean(),
    holdsScaleOut: fc.boolean(),
    min: fc.nat({ max: 5 }),
    idle: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    sinceActive: fc.option(fc.nat({ max: 1000 }), { nil: undefined }),
    fallback: fc.option(fc.record({ replicas: fc.nat({ max: 3 }), isInForce: fc.boolean() }), {
      nil: undefined,
    }),
  });

  it('never takes replicas away without evidence, in a pause or inside the cooldown', () => {
    fc.assert(
      fc.property(situations, (given) => {
        const { min, idle, sinceActive, isActive, hasError, ...rest } = given;
        const decision = decide({
          ...BASE,
          ...rest,
          bounds: bounds({ min, idle }),
          activity: { ...IDLE, isActive, hasError },
          lastActiveMs: sinceActive === undefined ? undefined : NOW - sinceActive * 1000,
        });
        const isLess = decision.replicas !== undefined && decision.replicas < given.replicas;
        fc.pre(isLess);
        const isHeld = isActive || given.isForced || given.isPaused || given.holdsScaleIn;
        expect(isHeld).to.equal(false);
        if (hasError) expect(given.fallback).to.deep.equal(zeroFallback);
        expect(sinceActive ?? 300).to.be.at.least(300);
      }),
    );
  });

  it('never leaves an active workload at zero unless that is asked for', () => {
    fc.assert(
      fc.property(situations, (given) => {
        const { min, idle, hasError, ...rest } = given;
        const activity = { ...IDLE, isActive: true, hasError };
        const decision = decide({
          ...BASE,
          ...rest,
          replicas: 0,
          bounds: bounds({ min, idle }),
          activity,
        });
        expect(decision.replicas ?? 0).to.be.at.least(
          given.isPaused || given.holdsScaleOut ? 0 : 1,
        );
      }),
    );
  });
});
