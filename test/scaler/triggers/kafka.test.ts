import { expect } from 'chai';
import { apacheKafka } from '../../../src/scaler/triggers/apache-kafka.ts';
import { kafka } from '../../../src/scaler/triggers/kafka.ts';
import type { KafkaAdmin } from '../../../src/scaler/triggers/support/kafka-admin.ts';
import { kafkaGauge } from '../../../src/scaler/triggers/support/kafka-gauge.ts';
import { kafkaTokens } from '../../../src/scaler/triggers/support/kafka-token.ts';
import { freePort } from '../../support/free-port.ts';
import {
  configureTrigger,
  openTrigger,
  toolsWith,
} from '../../support/scaler/configure-trigger.ts';
import {
  describeTrigger,
  messageOf,
  type TriggerCase,
} from '../../support/scaler/trigger-cases.ts';

const group = { bootstrapServers: 'a:9092,b:9092', consumerGroup: 'workers' };
const here = { ...group, topic: 'jobs' };
const login = { username: 'app', password: 'hunter2' };

const COMMON: readonly TriggerCase[] = [
  ['is named after the topic', { metadata: here }, { name: 'kafka-jobs', target: 10 }],
  ['is named after the group without one', { metadata: group }, { name: 'kafka-workers-topics' }],
  ['takes a threshold', { metadata: { ...here, lagThreshold: '50' } }, { target: 50 }],
  [
    'takes names from the environment',
    {
      metadata: { bootstrapServersFromEnv: 'B', consumerGroupFromEnv: 'G', topicFromEnv: 'T' },
      environment: { B: 'a:1', G: 'g', T: 't' },
    },
    { name: 'kafka-t' },
  ],
  [
    'refuses a threshold of 0',
    { metadata: { ...here, lagThreshold: '0' } },
    ['lagThreshold must be more than 0 and not "0"'],
  ],
  [
    'refuses a threshold of activation below 0',
    { metadata: { ...here, activationLagThreshold: '-1' } },
    ['activationLagThreshold must be at least 0 and not "-1"'],
  ],
  [
    'wants hosts and ports',
    { metadata: { ...here, bootstrapServers: 'a:1,b' } },
    ['bootstrapServers must be host:port between commas, and "b" is none'],
  ],
  [
    'wants a policy',
    { metadata: { ...here, offsetResetPolicy: 'none' } },
    ['offsetResetPolicy must be one of latest, earliest and not "none"'],
  ],
  [
    'wants a topic to limit',
    { metadata: { ...group, limitToPartitionsWithLag: 'true' } },
    ['limitToPartitionsWithLag needs topic'],
  ],
  [
    'refuses rules that contradict each other',
    {
      metadata: {
        ...here,
        limitToPartitionsWithLag: 'true',
        allowIdleConsumers: 'true',
        ensureEvenDistributionOfPartitions: 'true',
      },
    },
    ['allowIdleConsumers', 'ensureEvenDistributionOfPartitions'].map(
      (name) => `limitToPartitionsWithLag and ${name} contradict each other: keep one`,
    ),
  ],
  [
    'takes a login',
    { metadata: { ...here, sasl: 'scram_sha512', tls: 'enable' }, authentication: login },
    { target: 10 },
  ],
  [
    'wants all of a login',
    { metadata: { ...here, sasl: 'plaintext' }, authentication: { username: 'app' } },
    ['password is missing: sasl plaintext needs it in a TriggerAuthentication'],
  ],
  [
    'wants cert and key',
    { metadata: here, authentication: { tls: 'enable', cert: 'c' } },
    ['cert and key belong together: give both'],
  ],
  [
    'refuses Kerberos by name',
    { metadata: here, authentication: { sasl: 'gssapi' } },
    ['sasl gssapi is not supported yet: use plaintext, scram_sha256 or scram_sha512'],
  ],
];

describeTrigger(kafka, [
  ...COMMON,
  [
    'takes tokens',
    {
      metadata: { ...here, sasl: 'oauthbearer' },
      authentication: { ...login, oauthTokenEndpointUri: 'http://login' },
    },
    { target: 10 },
  ],
  [
    'wants to know where tokens are',
    { metadata: { ...here, sasl: 'oauthbearer' }, authentication: login },
    ['oauthTokenEndpointUri is missing: sasl oauthbearer needs it in a TriggerAuthentication'],
  ],
  [
    'refuses tokens of AWS by name',
    {
      metadata: { ...here, sasl: 'oauthbearer', saslTokenProvider: 'aws_msk_iam' },
      authentication: login,
    },
    ['saslTokenProvider aws_msk_iam is not supported yet: use bearer'],
  ],
  [
    'wants a topic to be even',
    { metadata: { ...group, ensureEvenDistributionOfPartitions: 'true' } },
    ['ensureEvenDistributionOfPartitions needs topic'],
  ],
  ['takes a version', { metadata: { ...here, version: '0.10.2.1' } }, { target: 10 }],
  [
    'refuses a version that Kafka never had',
    { metadata: { ...here, version: '1.2.3.4' } },
    ['version must be one of Kafka, such as 3.9.0, and not "1.2.3.4"'],
  ],
  [
    'wants a topic where the cluster is not asked',
    { metadata: { ...group, fullMetadata: 'false' } },
    ['fullMetadata false needs topic'],
  ],
]);
describeTrigger(apacheKafka, [
  ...COMMON,
  ['is named after its topics', { metadata: { ...group, topic: 'a, b' } }, { name: 'kafka-a,b' }],
  [
    'refuses AWS by name',
    { metadata: { ...here, sasl: 'aws_msk_iam' } },
    ['sasl aws_msk_iam is not supported yet: use plaintext, scram_sha256 or scram_sha512'],
  ],
  [
    'refuses tls and sasl in two places',
    {
      metadata: { ...here, sasl: 'none', tls: 'enable' },
      authentication: { sasl: 'none', tls: 'enable' },
    },
    ['sasl', 'tls'].map(
      (name) => `${name} is given twice, in metadata and authentication: keep one`,
    ),
  ],
]);

/** Offsets by topic: each partition's commit and newest. */
type Cluster = Readonly<Record<string, readonly (readonly [number, number])[]>>;

function adminOf(cluster: Cluster, changes: Partial<KafkaAdmin> = {}): KafkaAdmin {
  const offsets = (topics: readonly string[], which: 0 | 1) =>
    new Map(
      topics.map((topic) => [
        topic,
        new Map((cluster[topic] ?? []).map((pair, partition) => [partition, pair[which]] as const)),
      ]),
    );
  const all = Object.keys(cluster);
  return {
    committed: async (_, topics = all) => offsets(topics, 0),
    newest: async (topics) => offsets(topics, 1),
    topics: async () => all,
    memberCount: async () => 1,
    close: async () => {},
    ...changes,
  };
}

describe('kafkaGauge', () => {
  const cluster: Cluster = {
    jobs: [
      [1, 4],
      [-1, 9],
      [5, 7],
    ],
    orders: [[0, 2]],
  };
  const read = (
    metadata: Readonly<Record<string, string>>,
    changes: Partial<KafkaAdmin> = {},
    partitions?: readonly number[],
  ) => {
    const { values } = configureTrigger(kafka, { metadata: { ...here, ...metadata } });
    const gauge = kafkaGauge(adminOf(cluster, changes), values, {
      topics: metadata['topic'] === '' ? undefined : ['jobs'],
      findTopics: (admin) => admin.topics(),
      partitions,
    });
    return gauge.read(AbortSignal.timeout(60_000), '');
  };

  it('adds the partitions of the topic', async () => {
    expect(await read({})).to.deep.equal({ value: 6, isActive: true });
  });
  it('reads all topics where none is named', async () => {
    expect(await read({ topic: '' })).to.include({ value: 8 });
  });
  it('reads some partitions', async () => {
    expect(await read({}, {}, [0, 2])).to.include({ value: 5 });
  });
  it('stays inactive up to the threshold', async () => {
    expect(await read({ activationLagThreshold: '6' })).to.include({ isActive: false });
  });

  it('takes a partition that the group does not tell for an error and not for 0', async () => {
    const committed = async () => new Map([['jobs', new Map([[0, 1]])]]);
    expect(await messageOf(read({}, { committed }))).to.equal(
      'Kafka at a:9092, b:9092: the group does not tell of partition 1 of topic jobs',
    );
  });
});

describe('kafkaTokens', () => {
  it('keeps a token until shortly before its end', async () => {
    let count = 0;
    let time = 0;
    const tools = toolsWith({ now: () => new Date(time) });
    const request = async () => {
      count += 1;
      return {
        status: 200,
        headers: {},
        text: JSON.stringify({ access_token: `t${count}`, expires_in: 60 }),
      };
    };
    const token = kafkaTokens(
      { ...login, scopes: [], oauthTokenEndpointUri: 'http://login', oauthExtensions: { a: 'b' } },
      { ...tools, http: { ...tools.http, request } },
    );
    expect(await token()).to.deep.equal({ value: 't1', extensions: { a: 'b' } });
    time = 49_000;
    expect(await token()).to.include({ value: 't1' });
    time = 50_000;
    expect(await token()).to.include({ value: 't2' });
  });
});

describe('kafka without a broker', () => {
  it('says where nothing listens, and not the password', async () => {
    const bootstrapServers = `127.0.0.1:${await freePort()}`;
    const metadata = { ...here, bootstrapServers, sasl: 'plaintext' };
    expect(await messageOf(openTrigger(kafka, { metadata, authentication: login })))
      .to.match(/^Kafka at 127\.0\.0\.1:\d+: .*nothing listens there/)
      .and.not.contain('hunter2');
  });
});
