import { expect } from 'chai';
import fc from 'fast-check';
import {
  type LagRules,
  measureLag,
  type PartitionOffsets,
} from '../../../../src/scaler/triggers/support/kafka-lag.ts';

const RULES: LagRules = { lagThreshold: 10, offsetResetPolicy: 'latest' };
const NOTHING = new Map<string, number>();

/** Partitions of one topic, by commit and newest offset. */
function partitionsOf(...offsets: readonly (readonly [number | undefined, number | undefined])[]) {
  return offsets.map(
    ([committed, newest], partition): PartitionOffsets => ({
      ...{ topic: 'jobs', partition },
      ...{ committed, newest },
    }),
  );
}

describe('measureLag', () => {
  const CASES: readonly (readonly [
    title: string,
    partitions: readonly PartitionOffsets[],
    rules: Partial<LagRules>,
    value: number,
    whole: number,
  ])[] = [
    ['adds the partitions', partitionsOf([1, 4], [2, 7]), {}, 8, 8],
    ['counts 1 without a commit, from the latest', partitionsOf([undefined, 40]), {}, 1, 1],
    [
      'counts all without a commit, from the earliest',
      partitionsOf([undefined, 7]),
      { offsetResetPolicy: 'earliest' },
      7,
      7,
    ],
    [
      'counts nothing without a commit when told',
      partitionsOf([undefined, 7]),
      { offsetResetPolicy: 'earliest', scaleToZeroOnInvalidOffset: true },
      0,
      0,
    ],
    [
      'counts nothing where the broker does not tell',
      partitionsOf([5, undefined], [1, 3]),
      {},
      2,
      2,
    ],
    ['counts nothing behind a commit', partitionsOf([9, 2], [1, 3]), {}, 2, 2],
    ['caps at a replica for each partition', partitionsOf([0, 100], [0, 5]), {}, 20, 105],
    ['does not cap within the threshold', partitionsOf([0, 29]), { lagThreshold: 15 }, 29, 29],
    [
      'lifts the cap for idle consumers',
      partitionsOf([0, 100]),
      { allowIdleConsumers: true },
      100,
      100,
    ],
    [
      'caps at partitions with lag',
      partitionsOf([0, 100], [3, 3], [2, 2]),
      { limitToPartitionsWithLag: true },
      10,
      100,
    ],
    [
      'raises to a divisor',
      partitionsOf([0, 41], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]),
      { ensureEvenDistributionOfPartitions: true },
      60,
      41,
    ],
    [
      'raises to the least divisor',
      partitionsOf([0, 11], [0, 0], [0, 0], [0, 0]),
      { ensureEvenDistributionOfPartitions: true },
      20,
      11,
    ],
    [
      'raises idle consumers too',
      partitionsOf([0, 11], [0, 0], [0, 0]),
      { ensureEvenDistributionOfPartitions: true, allowIdleConsumers: true },
      30,
      11,
    ],
    [
      'raises nothing out of nothing',
      partitionsOf([4, 4]),
      { ensureEvenDistributionOfPartitions: true },
      0,
      0,
    ],
    ['has no lag without partitions', [], {}, 0, 0],
  ];
  for (const [title, partitions, rules, value, whole] of CASES) {
    it(title, () => {
      const lag = measureLag(partitions, { ...RULES, ...rules }, NOTHING);
      expect({ value: lag.value, whole: lag.whole }).to.deep.equal({ value, whole });
    });
  }

  it('leaves out what does not move, but not for activation', () => {
    const rules = { ...RULES, excludePersistentLag: true };
    const first = measureLag(partitionsOf([1, 5], [2, 4]), rules, NOTHING);
    expect(first).to.include({ value: 6, whole: 6 });
    const second = measureLag(partitionsOf([1, 6], [3, 4]), rules, first.commits);
    expect(second).to.include({ value: 1, whole: 6 });
    const third = measureLag(partitionsOf([2, 6], [3, 4]), rules, second.commits);
    expect(third).to.include({ value: 4, whole: 5 });
  });
});

describe('measureLag, of anything', () => {
  const partitions = fc
    .array(
      fc.record({
        committed: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
        newest: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
      }),
      { maxLength: 12 },
    )
    .map((offsets) =>
      offsets.map((offset, partition) => ({ topic: 'jobs', partition, ...offset })),
    );
  const rules = fc.record({
    lagThreshold: fc.integer({ min: 1, max: 50 }),
    offsetResetPolicy: fc.constantFrom('latest' as const, 'earliest' as const),
    scaleToZeroOnInvalidOffset: fc.boolean(),
    excludePersistentLag: fc.boolean(),
    allowIdleConsumers: fc.boolean(),
    limitToPartitionsWithLag: fc.boolean(),
    ensureEvenDistributionOfPartitions: fc.boolean(),
  });
  const replicasOf = (value: number, { lagThreshold }: LagRules) => Math.ceil(value / lagThreshold);

  it('never is negative, and is nothing only where nothing counts', () => {
    fc.assert(
      fc.property(partitions, rules, (given, by) => {
        const { value, whole } = measureLag(given, by, NOTHING);
        expect(value).to.be.at.least(0);
        expect(value === 0).to.equal(whole === 0);
      }),
    );
  });

  it('wants no more replicas than partitions, but for a part of one, unless consumers may idle', () => {
    fc.assert(
      fc.property(partitions, rules, (given, by) => {
        const { value } = measureLag(given, { ...by, allowIdleConsumers: false }, NOTHING);
        expect(Math.trunc(value / by.lagThreshold)).to.be.at.most(given.length);
      }),
    );
  });

  it('wants a number of replicas that divides the partitions, where it must be even', () => {
    fc.assert(
      fc.property(partitions, rules, (given, by) => {
        const even = {
          ...by,
          limitToPartitionsWithLag: false,
          ensureEvenDistributionOfPartitions: true,
        };
        const { value } = measureLag(given, even, NOTHING);
        if (value > 0) expect(given.length % replicasOf(value, by)).to.equal(0);
      }),
    );
  });

  it('never grows by leaving out what persists', () => {
    fc.assert(
      fc.property(partitions, rules, (given, by) => {
        const once = measureLag(given, { ...by, excludePersistentLag: true }, NOTHING);
        const again = measureLag(given, { ...by, excludePersistentLag: true }, once.commits);
        expect(again.value).to.be.at.most(once.value);
        expect(again.whole).to.equal(once.whole);
      }),
    );
  });
});
