/** How far a group of consumers is behind, and how many replicas that is worth. Pure. */

/** One partition, as the group and the broker tell it. */
export interface PartitionOffsets {
  readonly topic: string;
  readonly partition: number;
  /** The offset that the group committed last; undefined where it never did. */
  readonly committed: number | undefined;
  /** The offset that the next message will get; undefined where the broker did not tell. */
  readonly newest: number | undefined;
}

export interface LagRules {
  /** Lag that one replica should carry. */
  readonly lagThreshold: number;
  /** Where the group starts that has committed nothing. */
  readonly offsetResetPolicy: 'latest' | 'earliest';
  /** What has no commit counts nothing. */
  readonly scaleToZeroOnInvalidOffset?: boolean | undefined;
  /** A partition whose commit does not move counts nothing: more replicas would not help. */
  readonly excludePersistentLag?: boolean | undefined;
  /** More replicas than partitions are fine. */
  readonly allowIdleConsumers?: boolean | undefined;
  /** No more replicas than partitions that are behind. */
  readonly limitToPartitionsWithLag?: boolean | undefined;
  /** Only as many replicas as divide the partitions evenly. */
  readonly ensureEvenDistributionOfPartitions?: boolean | undefined;
}

export interface Lag {
  /** For the HPA: without what persists, rounded and capped as the rules say. */
  readonly value: number;
  /** For activation: all of it. */
  readonly whole: number;
  /** Commits by partition, for the next measurement. */
  readonly commits: ReadonlyMap<string, number>;
}

/** @param before The commits of the measurement before, empty at the first. */
export function measureLag(
  partitions: readonly PartitionOffsets[],
  rules: LagRules,
  before: ReadonlyMap<string, number>,
): Lag {
  const whole = partitions.map((partition) => lagOf(partition, rules));
  const counted = partitions.map((partition, index) =>
    rules.excludePersistentLag && isStuck(partition, before) ? 0 : (whole[index] ?? 0),
  );
  return {
    value: limit(sum(counted), counted, rules),
    whole: sum(whole),
    commits: new Map(
      partitions.flatMap((partition) =>
        partition.committed === undefined ? [] : [[keyOf(partition), partition.committed] as const],
      ),
    ),
  };
}

function lagOf({ committed, newest }: PartitionOffsets, rules: LagRules): number {
  if (committed === undefined) {
    if (rules.scaleToZeroOnInvalidOffset) return 0;
    return rules.offsetResetPolicy === 'latest' ? 1 : (newest ?? 0);
  }
  // A topic that was made anew may be behind its group: that must not hide the work of other partitions.
  return newest === undefined ? 0 : Math.max(0, newest - committed);
}

function isStuck(partition: PartitionOffsets, before: ReadonlyMap<string, number>): boolean {
  const { committed } = partition;
  return committed !== undefined && before.get(keyOf(partition)) === committed;
}

function limit(total: number, lags: readonly number[], rules: LagRules): number {
  const { lagThreshold, limitToPartitionsWithLag, ensureEvenDistributionOfPartitions } = rules;
  const isLimited = limitToPartitionsWithLag || ensureEvenDistributionOfPartitions;
  if (rules.allowIdleConsumers && !isLimited) return total;
  const most = limitToPartitionsWithLag ? lags.filter((lag) => lag > 0).length : lags.length;
  const even = ensureEvenDistributionOfPartitions
    ? roundToDivisor(total, lags.length, lagThreshold)
    : total;
  return Math.trunc(even / lagThreshold) > most ? most * lagThreshold : even;
}

/** The lag of the fewest replicas that divide the partitions evenly and carry it all; nothing stays nothing. */
function roundToDivisor(total: number, partitions: number, lagThreshold: number): number {
  if (total === 0) return 0;
  for (let replicas = 1; replicas <= partitions; replicas++) {
    if (partitions % replicas === 0 && replicas * lagThreshold >= total) {
      return replicas * lagThreshold;
    }
  }
  return partitions * lagThreshold;
}

function keyOf({ topic, partition }: PartitionOffsets): string {
  return `${topic}/${partition}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
