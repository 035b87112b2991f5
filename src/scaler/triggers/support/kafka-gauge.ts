/** Reads the lag of a group again and again. */
import type { Gauge } from '../../trigger.ts';
import { describeKafka, type KafkaAdmin, type Offsets } from './kafka-admin.ts';
import { measureLag, type PartitionOffsets } from './kafka-lag.ts';
import type { KafkaValues } from './kafka-parameters.ts';
import { askSource } from './source.ts';

/** What the two triggers differ in. */
export interface KafkaQuestion {
  /** Undefined: those that `findTopics` gives. */
  readonly topics: readonly string[] | undefined;
  /** Asked at each reading where no topic is named. */
  readonly findTopics: (admin: KafkaAdmin) => Promise<readonly string[]>;
  /** Undefined: all. */
  readonly partitions: readonly number[] | undefined;
}

export function kafkaGauge(
  admin: KafkaAdmin,
  values: KafkaValues,
  { topics, findTopics, partitions }: KafkaQuestion,
): Gauge {
  const source = describeKafka(values);
  let commits: ReadonlyMap<string, number> = new Map();
  const ask = async () => {
    const asked = topics ?? (await findTopics(admin));
    const [committed, newest] = await Promise.all([
      asked.length === 0 ? new Map() : admin.committed(values.consumerGroup, asked),
      admin.newest(asked),
    ]);
    return joinOffsets(asked, committed, newest, partitions);
  };
  return {
    async read(signal) {
      const offsets = await askSource(
        source,
        ask,
        signal,
        () => void admin.close().catch(() => {}),
      );
      const lag = measureLag(offsets, values, commits);
      commits = lag.commits;
      return { value: lag.value, isActive: lag.whole > values.activationLagThreshold };
    },
    close: () => admin.close(),
  };
}

/** @throws {Error} where the group does not tell of a partition that there is. */
export function joinOffsets(
  topics: readonly string[],
  committed: Offsets,
  newest: Offsets,
  limitation: readonly number[] | undefined,
): readonly PartitionOffsets[] {
  const isWanted = (partition: number) => limitation?.includes(partition) ?? true;
  return topics.flatMap((topic) => {
    const known = new Set([
      ...(newest.get(topic)?.keys() ?? []),
      ...(committed.get(topic)?.keys() ?? []),
    ]);
    return [...known].filter(isWanted).map((partition) => {
      const offset = committed.get(topic)?.get(partition);
      if (offset === undefined) {
        throw new Error(`the group does not tell of partition ${partition} of topic ${topic}`);
      }
      const latest = newest.get(topic)?.get(partition);
      return { topic, partition, committed: offset < 0 ? undefined : offset, newest: latest };
    });
  });
}
