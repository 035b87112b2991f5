/** The little that we ask of Kafka, by the package `kafkajs`. */
import type { Admin, KafkaConfig } from 'kafkajs';
import type { TriggerTools } from '../../trigger.ts';
import { oauthBearer, type TokenProvider } from './kafka-oauth-bearer.ts';
import type { KafkaValues } from './kafka-parameters.ts';
import { CONNECT_TIMEOUT_MS, openSource, type Source } from './source.ts';

/** Offsets by topic and partition. */
export type Offsets = ReadonlyMap<string, ReadonlyMap<number, number>>;

export interface KafkaAdmin {
  /** What a group committed in these topics, or in all where it ever did; -1 where it did not. */
  committed(group: string, topics?: readonly string[]): Promise<Offsets>;
  /** The offset that the next message of each partition will get. */
  newest(topics: readonly string[]): Promise<Offsets>;
  /** All of the cluster. */
  topics(): Promise<readonly string[]>;
  /** How many consumers are in the group now. */
  memberCount(group: string): Promise<number>;
  close(): Promise<void>;
}

export function describeKafka({ bootstrapServers, password, keyPassword }: KafkaValues): Source {
  const label = `Kafka at ${bootstrapServers.join(', ')}`;
  return { label, secrets: [password, keyPassword] };
}

/** Connects to the first broker that answers. */
export async function openKafkaAdmin(
  values: KafkaValues,
  { tls }: Pick<TriggerTools, 'tls'>,
  token?: TokenProvider,
): Promise<KafkaAdmin> {
  const { default: driver } = await import('kafkajs');
  const { ca, cert, key, keyPassword } = values;
  const isUnsafe = 'unsafeSsl' in values && values.unsafeSsl === true;
  const kafka = new driver.Kafka({
    clientId: 'tsprov-scaler',
    brokers: [...values.bootstrapServers],
    ...(values.tls === 'enable' && { ssl: tls({ ca, cert, key, keyPassword, isUnsafe }) }),
    ...saslOf(values, token),
    connectionTimeout: CONNECT_TIMEOUT_MS / 2,
    requestTimeout: CONNECT_TIMEOUT_MS,
    logLevel: driver.logLevel.NOTHING,
    // Whoever asks tries again; once here is for a partition that has moved to another broker.
    retry: { retries: 1, initialRetryTime: 100 },
  });
  const admin = kafka.admin();
  const end = () => void admin.disconnect().catch(() => {}); // It is gone already.
  await openSource(describeKafka(values), () => admin.connect(), end);
  return adminOf(admin);
}

function saslOf(
  { sasl = 'none', username = '', password = '' }: KafkaValues,
  token: TokenProvider | undefined,
): Pick<KafkaConfig, 'sasl'> {
  if (sasl === 'none') return {};
  if (sasl === 'oauthbearer' && token !== undefined) {
    return { sasl: oauthBearer(token) };
  }
  const mechanisms = { scram_sha256: 'scram-sha-256', scram_sha512: 'scram-sha-512' } as const;
  const mechanism = mechanisms[sasl as keyof typeof mechanisms] ?? 'plain';
  return { sasl: { mechanism, username, password } as KafkaConfig['sasl'] & object };
}

function adminOf(admin: Admin): KafkaAdmin {
  return {
    async committed(groupId, topics) {
      const given = topics === undefined ? {} : { topics: [...topics] };
      const answer = await admin.fetchOffsets({ groupId, ...given });
      return new Map(answer.map(({ topic, partitions }) => [topic, offsetsOf(partitions)]));
    },
    async newest(topics) {
      const answers = topics.map(
        async (topic) => [topic, offsetsOf(await admin.fetchTopicOffsets(topic))] as const,
      );
      return new Map(await Promise.all(answers));
    },
    topics: () => admin.listTopics(),
    async memberCount(group) {
      const { groups } = await admin.describeGroups([group]);
      return groups.flatMap(({ members }) => members).length;
    },
    close: () => admin.disconnect(),
  };
}

function offsetsOf(
  partitions: readonly { readonly partition: number; readonly offset: string }[],
): ReadonlyMap<number, number> {
  return new Map(partitions.map(({ partition, offset }) => [partition, Number(offset)]));
}
