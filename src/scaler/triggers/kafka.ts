import {
  boolean,
  choice,
  defineTrigger,
  integerList,
  list,
  map,
  optional,
  secret,
  text,
  type ValuesOf,
} from '../trigger.ts';
import { checkHttpUrl } from './support/http-source.ts';
import { openKafkaAdmin } from './support/kafka-admin.ts';
import { kafkaGauge } from './support/kafka-gauge.ts';
import {
  checkKafka,
  checkServers,
  kafkaMetric,
  kafkaParameters,
} from './support/kafka-parameters.ts';
import { kafkaTokens } from './support/kafka-token.ts';

const FROM_BOTH = { from: ['metadata', 'authentication'] } as const;
const FROM_AUTHENTICATION = { from: ['authentication'] } as const;
const KERBEROS = 'For sasl gssapi, which is not supported yet.';

const parameters = {
  bootstrapServers: list('Brokers as host:port.', {
    from: ['metadata', 'environment'],
    mayNameVariable: true,
  }),
  topic: optional(
    text('Topic; without it, all where the group has committed.', {
      from: ['metadata', 'environment'],
    }),
  ),
  partitionLimitation: optional(integerList('Partitions of the topic that count, as 1,3-5.')),
  fullMetadata: boolean('False: topic is needed, and nothing else of the cluster is asked.', {
    default: true,
  }),
  version: optional(
    text('Without effect.', { deprecated: 'leave it out, brokers and scaler agree on a version' }),
  ),
  tls: choice(['enable', 'disable'], 'Connect by TLS.', { ...FROM_BOTH, default: 'disable' }),
  unsafeSsl: boolean('Accept any certificate of the brokers.', { default: false }),
  sasl: optional(
    choice(
      ['none', 'plaintext', 'scram_sha256', 'scram_sha512', 'oauthbearer', 'gssapi'],
      'How to log in.',
      FROM_BOTH,
    ),
  ),
  saslTokenProvider: choice(['bearer', 'aws_msk_iam'], 'Who gives tokens for oauthbearer.', {
    ...FROM_BOTH,
    default: 'bearer',
  }),
  scopes: list('Scopes of tokens.', { ...FROM_AUTHENTICATION, default: [] }),
  oauthTokenEndpointUri: optional(text('Where to get tokens.', FROM_AUTHENTICATION)),
  oauthExtensions: map('Sent with tokens, as k=v pairs.', { ...FROM_AUTHENTICATION, default: {} }),
  keytab: optional(secret(KERBEROS)),
  realm: optional(text(KERBEROS, FROM_AUTHENTICATION)),
  kerberosConfig: optional(text(KERBEROS, FROM_AUTHENTICATION)),
  kerberosServiceName: optional(text(KERBEROS, FROM_AUTHENTICATION)),
  kerberosDisableFAST: boolean(KERBEROS, { ...FROM_AUTHENTICATION, default: false }),
  ...kafkaParameters,
};
type Values = ValuesOf<typeof parameters>;

export const kafka = defineTrigger({
  type: 'kafka',
  summary:
    'Scales on how far a group of consumers of Kafka is behind in one topic or in all of its own.',
  parameters,

  check: (values) => [
    ...checkKafka(topicsOf(values), values),
    ...checkTopic(values),
    ...checkVersion(values),
    ...checkTokens(values),
  ],
  checkSource: (values) => [...checkServers(values), ...checkTokenUrl(values)],

  metric: (values) => kafkaMetric(topicsOf(values), values),

  async open(values, tools) {
    const { topic, consumerGroup, partitionLimitation } = values;
    if (topic === undefined && partitionLimitation !== undefined) {
      tools.notify('partitionLimitation has no effect without topic');
    }
    const admin = await openKafkaAdmin(values, tools, kafkaTokens(values, tools));
    return kafkaGauge(admin, values, {
      topics: topic === undefined ? undefined : [topic],
      findTopics: async () => [...(await admin.committed(consumerGroup)).keys()],
      partitions: topic === undefined ? undefined : partitionLimitation,
    });
  },
});

function topicsOf({ topic }: Values): readonly string[] {
  return topic === undefined ? [] : [topic];
}

function checkTopic(values: Values): readonly string[] {
  if (values.topic !== undefined) return [];
  return [
    ...(values.fullMetadata ? [] : ['fullMetadata false needs topic']),
    ...(values.ensureEvenDistributionOfPartitions
      ? ['ensureEvenDistributionOfPartitions needs topic']
      : []),
  ];
}

/** It has no effect, but a manifest with a wrong one is a mistake, as in KEDA. */
function checkVersion({ version }: Values): readonly string[] {
  if (version === undefined || /^(?:0(?:\.\d+){3}|[1-9]\d*(?:\.\d+){2})$/.test(version)) return [];
  return [`version must be one of Kafka, such as 3.9.0, and not "${version}"`];
}

function checkTokens(values: Values): readonly string[] {
  if (values.sasl !== 'oauthbearer') return [];
  if (values.saslTokenProvider === 'aws_msk_iam') {
    return ['saslTokenProvider aws_msk_iam is not supported yet: use bearer'];
  }
  const { oauthTokenEndpointUri: url } = values;
  if (url !== undefined) return [];
  return ['oauthTokenEndpointUri is missing: sasl oauthbearer needs it in a TriggerAuthentication'];
}

function checkTokenUrl({ sasl, oauthTokenEndpointUri: url }: Values): readonly string[] {
  if (sasl !== 'oauthbearer' || url === undefined) return [];
  return checkHttpUrl('oauthTokenEndpointUri', url);
}
