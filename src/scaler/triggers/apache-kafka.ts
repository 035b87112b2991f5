import { choice, defineTrigger, integerList, list, optional } from '../trigger.ts';
import { type KafkaAdmin, openKafkaAdmin } from './support/kafka-admin.ts';
import { kafkaGauge } from './support/kafka-gauge.ts';
import {
  checkKafka,
  checkServers,
  kafkaMetric,
  kafkaParameters,
} from './support/kafka-parameters.ts';

const FROM_ONE = { from: ['metadata', 'authentication'], isSingle: true } as const;

export const apacheKafka = defineTrigger({
  type: 'apache-kafka',
  summary: 'Scales on how far a group of consumers of Kafka is behind in several topics.',

  parameters: {
    bootstrapServers: list('Brokers as host:port.', {
      from: ['metadata', 'environment'],
      mayNameVariable: true,
    }),
    topic: list('Topics; without them, all of the cluster.', {
      from: ['metadata', 'environment'],
      default: [],
    }),
    partitionLimitation: optional(integerList('Partitions that count, as 1,3-5.')),
    sasl: choice(
      ['none', 'plaintext', 'scram_sha256', 'scram_sha512', 'gssapi', 'aws_msk_iam'],
      'How to log in.',
      { ...FROM_ONE, default: 'none' },
    ),
    tls: choice(['enable', 'disable'], 'Connect by TLS.', { ...FROM_ONE, default: 'disable' }),
    ...kafkaParameters,
  },

  check: (values) => checkKafka(values.topic, values),
  checkSource: checkServers,
  metric: (values) => kafkaMetric(values.topic, values),

  async open(values, tools) {
    const { topic, consumerGroup, partitionLimitation } = values;
    const admin = await openKafkaAdmin(values, tools);
    return kafkaGauge(admin, values, {
      topics: topic.length === 0 ? undefined : topic,
      findTopics: (asked) => findTopics(asked, consumerGroup),
      partitions: partitionLimitation,
    });
  },
});

/** Without members, all topics of a cluster would count for a group that may not even exist. */
async function findTopics(admin: KafkaAdmin, group: string): Promise<readonly string[]> {
  if ((await admin.memberCount(group)) > 0) return admin.topics();
  throw new Error(`the group ${group} has no members, so that its topics are unknown: give topic`);
}
