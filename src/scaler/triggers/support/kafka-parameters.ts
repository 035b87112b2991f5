/** What both triggers of Kafka are told, and the rules between it. */
import { boolean, choice, integer, optional, secret, text, type ValuesOf } from '../../trigger.ts';

const FROM_AUTHENTICATION = { from: ['authentication'] } as const;

export const kafkaParameters = {
  consumerGroup: text('Group of consumers whose lag counts.', {
    from: ['metadata', 'environment'],
  }),
  lagThreshold: integer('Lag that one replica should carry.', { default: 10, exclusiveMinimum: 0 }),
  activationLagThreshold: integer('Stay at zero up to this lag.', { default: 0, minimum: 0 }),
  offsetResetPolicy: choice(
    ['latest', 'earliest'],
    'What a partition counts that the group never committed: 1, or all its messages.',
    { default: 'latest' },
  ),
  allowIdleConsumers: boolean('Allow more replicas than partitions.', { default: false }),
  excludePersistentLag: boolean(
    'Leave out partitions whose commit has not moved since the last query.',
    {
      default: false,
    },
  ),
  scaleToZeroOnInvalidOffset: boolean('Leave out partitions that the group never committed.', {
    default: false,
  }),
  limitToPartitionsWithLag: boolean('Allow no more replicas than partitions with lag.', {
    default: false,
  }),
  ensureEvenDistributionOfPartitions: boolean(
    'Raise the replicas to the next number that divides the partitions evenly.',
    { default: false },
  ),
  username: optional(text('User, or client of OAuth.', FROM_AUTHENTICATION)),
  password: optional(secret('Password, or secret of the client.')),
  ca: optional(text('Authority of the brokers, as PEM.', FROM_AUTHENTICATION)),
  cert: optional(text('Certificate of the client, as PEM.', FROM_AUTHENTICATION)),
  key: optional(secret('Key of the client, as PEM.')),
  keyPassword: optional(secret('Password of the key.')),
  awsRegion: optional(text('Region of AWS, for aws_msk_iam, which is not supported yet.')),
};

/** Of both triggers; `topics` is undefined where none is named. */
export type KafkaValues = ValuesOf<typeof kafkaParameters> & {
  readonly bootstrapServers: readonly string[];
  readonly sasl?: string | undefined;
  readonly tls: 'enable' | 'disable';
};

/** The name of the metric, without the index of the trigger. */
export function kafkaMetric(
  topics: readonly string[],
  { consumerGroup, lagThreshold }: KafkaValues,
) {
  const name = topics.length === 0 ? `${consumerGroup}-topics` : topics.join(',');
  return { kind: 'external', name: `kafka-${name}`, target: lagThreshold } as const;
}

/** @param topics Those that the trigger names. */
export function checkKafka(topics: readonly string[], values: KafkaValues): readonly string[] {
  const hasNone = topics.length === 0;
  const { limitToPartitionsWithLag: isLimited, ensureEvenDistributionOfPartitions: isEven } =
    values;
  const problems: readonly (readonly [boolean, string])[] = [
    [isLimited && hasNone, 'limitToPartitionsWithLag needs topic'],
    [
      isLimited && values.allowIdleConsumers,
      'limitToPartitionsWithLag and allowIdleConsumers contradict each other: keep one',
    ],
    [
      isLimited && isEven,
      'limitToPartitionsWithLag and ensureEvenDistributionOfPartitions contradict each other: keep one',
    ],
    [
      values.tls === 'enable' && (values.cert === undefined) !== (values.key === undefined),
      'cert and key belong together: give both',
    ],
  ];
  return [
    ...problems.filter(([isWrong]) => isWrong).map(([, message]) => message),
    ...checkLogin(values),
  ];
}

export function checkServers({ bootstrapServers }: KafkaValues): readonly string[] {
  return bootstrapServers
    .filter((server) => !/^(?:\[[^\]]+\]|[^:[\]]+):\d+$/.test(server))
    .map((server) => `bootstrapServers must be host:port between commas, and "${server}" is none`);
}

function checkLogin({ sasl = 'none', username, password }: KafkaValues): readonly string[] {
  if (sasl === 'gssapi' || sasl === 'aws_msk_iam') {
    return [`sasl ${sasl} is not supported yet: use plaintext, scram_sha256 or scram_sha512`];
  }
  if (sasl === 'none') return [];
  return Object.entries({ username, password })
    .filter(([, value]) => value === undefined)
    .map(([name]) => `${name} is missing: sasl ${sasl} needs it in a TriggerAuthentication`);
}
