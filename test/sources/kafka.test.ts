import { expect } from 'chai';
import type { Consumer } from 'kafkajs';
import type { AnyTrigger, Gauge } from '../../src/scaler/trigger.ts';
import { apacheKafka } from '../../src/scaler/triggers/apache-kafka.ts';
import { kafka } from '../../src/scaler/triggers/kafka.ts';
import { makeTestAuthority, type TestAuthority } from '../support/scaler/certificates.ts';
import { openTrigger } from '../support/scaler/configure-trigger.ts';
import { realHttp } from '../support/scaler/read-trigger.ts';
import { messageOf } from '../support/scaler/trigger-cases.ts';
import { skipFor } from '../support/skip.ts';
import { type KafkaServer, startKafka } from '../support/sources/kafka.ts';
import { type OauthServer, startOauth, whyNoOauth } from '../support/sources/oauth.ts';
import { whyNot } from '../support/sources/server.ts';

type Texts = Readonly<Record<string, string>>;

describe('kafka on Kafka 3.9', () => {
  const gauges: Gauge[] = [];
  let authority: TestAuthority;
  let server: KafkaServer;
  let oauth: OauthServer;

  before(async function () {
    skipFor(whyNot(['java', 'mvn'], 'default-jre-headless maven'), this);
    skipFor(whyNoOauth(), this);
    authority = await makeTestAuthority();
    oauth = await startOauth('kafka');
    server = await startKafka(authority, await oauth.keys());
    const admin = server.client.admin();
    await admin.connect();
    await admin.createTopics({
      waitForLeaders: true,
      topics: [
        { topic: 'jobs', numPartitions: 3 },
        { topic: 'orders', numPartitions: 1 },
        { topic: 'strange', numPartitions: 2 },
      ],
    });
    await send('jobs', [4, 3, 0]);
    await send('orders', [2]);
    await admin.setOffsets({
      groupId: 'workers',
      topic: 'jobs',
      partitions: [
        { partition: 0, offset: '1' },
        { partition: 1, offset: '3' },
      ],
    });
    await admin.setOffsets({
      groupId: 'workers',
      topic: 'orders',
      partitions: [{ partition: 0, offset: '0' }],
    });
    await admin.disconnect();
  });
  after(async () => {
    await Promise.all(gauges.map((gauge) => gauge.close()));
    await server?.stop();
    await oauth?.stop();
  });

  /** @param counts Messages for each partition. */
  async function send(topic: string, counts: readonly number[]) {
    // While a new partition has no leader yet, the request is sent again, also for those that took their messages.
    const producer = server.client.producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    const messages = counts.flatMap((count, partition) =>
      Array.from({ length: count }, () => ({ partition, value: 'job' })),
    );
    await producer.send({ topic, messages });
    await producer.disconnect();
  }
  async function open(
    trigger: AnyTrigger,
    metadata: Texts,
    authentication: Texts = {},
    port = server.ports.plain,
  ) {
    const common = { bootstrapServers: `127.0.0.1:${port}`, consumerGroup: 'workers' };
    const given = { metadata: { ...common, ...metadata }, authentication };
    const gauge = await openTrigger(trigger, given, { http: realHttp });
    gauges.push(gauge);
    return gauge;
  }
  const ask = (gauge: Gauge) => gauge.read(AbortSignal.timeout(60_000), '');
  const read = async (...of: Parameters<typeof open>) => ask(await open(...of));

  const READINGS: readonly (readonly [string, AnyTrigger, Texts, number])[] = [
    ['a topic, where a partition has no commit', kafka, { topic: 'jobs' }, 4],
    ['a topic from the earliest', kafka, { topic: 'jobs', offsetResetPolicy: 'earliest' }, 3],
    [
      'a topic without what has no commit',
      kafka,
      { topic: 'jobs', scaleToZeroOnInvalidOffset: 'true' },
      3,
    ],
    ['some partitions', kafka, { topic: 'jobs', partitionLimitation: '1-2' }, 1],
    ['all topics of the group', kafka, {}, 6],
    ['no more than partitions', kafka, { topic: 'jobs', lagThreshold: '1' }, 3],
    ['several topics', apacheKafka, { topic: 'jobs,orders' }, 6],
    ['a group that has committed nothing', kafka, { topic: 'jobs', consumerGroup: 'nobody' }, 3],
    ['no topic of a group that has committed nothing', kafka, { consumerGroup: 'nobody' }, 0],
  ];
  for (const [title, trigger, metadata, value] of READINGS) {
    it(`reads ${title}`, async () => {
      expect(await read(trigger, metadata)).to.deep.equal({ value, isActive: value > 0 });
    });
  }

  it('follows the lag, and leaves out what persists', async () => {
    const metadata = { topic: 'orders', excludePersistentLag: 'true' };
    const gauge = await open(kafka, metadata);
    expect(await ask(gauge)).to.deep.equal({ value: 2, isActive: true });
    await send('orders', [3]);
    expect(await ask(gauge)).to.deep.equal({ value: 0, isActive: true });
    expect(await read(kafka, { topic: 'orders' })).to.include({ value: 5 });
  });

  it('wants members of a group where no topic is named, and then counts every topic', async () => {
    const of = { consumerGroup: 'members' };
    const said = await messageOf(read(apacheKafka, of));
    expect(said).to.match(/the group members has no members.*give topic/);
    const consumer = await join('members', 'strange');
    expect((await read(apacheKafka, of)).value).to.be.greaterThan(0);
    await consumer.disconnect();
  });

  async function join(groupId: string, topic: string): Promise<Consumer> {
    const consumer = server.client.consumer({ groupId });
    await consumer.connect();
    await consumer.subscribe({ topic });
    const joined = new Promise((resolve) => consumer.on('consumer.group_join', resolve));
    await consumer.run({ eachMessage: async () => {} });
    await joined;
    return consumer;
  }

  const login = { username: 'app', password: 'hunter2' };
  for (const sasl of ['plaintext', 'scram_sha256', 'scram_sha512']) {
    it(`logs in by ${sasl}`, async () => {
      const { sasl: port } = server.ports;
      expect(await read(kafka, { topic: 'jobs', sasl }, login, port)).to.include({ value: 4 });
      const wrong = { ...login, password: 'h4nter' };
      expect(await messageOf(read(kafka, { topic: 'jobs', sasl }, wrong, port)))
        .to.match(/authentication failed/i)
        .and.not.contain('h4nter');
    });
  }

  it('logs in by oauthbearer, with a token that the broker checks', async () => {
    const { sasl: port } = server.ports;
    const metadata = { topic: 'jobs', sasl: 'oauthbearer' };
    const client = {
      username: 'client_secret_basic',
      password: oauth.secret,
      oauthTokenEndpointUri: oauth.url,
      scopes: 'read,write',
    };
    expect(await read(kafka, metadata, client, port)).to.include({ value: 4 });
    const extended = { ...client, oauthExtensions: 'tenant=shop,zone=a' };
    expect(await read(kafka, metadata, extended, port)).to.include({ value: 4 });
    const stranger = { ...client, password: 'h4nter' };
    expect(await messageOf(read(kafka, metadata, stranger, port)))
      .to.contain(`${oauth.url} gives no token: HTTP status 401, invalid_client`)
      .and.not.contain('h4nter');
  });

  it('fails where the broker does not know who signed its token', async () => {
    const other = await startOauth('kafka-stranger');
    const login = {
      username: 'client_secret_basic',
      password: other.secret,
      oauthTokenEndpointUri: other.url,
    };
    const metadata = { topic: 'jobs', sasl: 'oauthbearer' };
    try {
      expect(await messageOf(read(kafka, metadata, login, server.ports.sasl))).to.contain(
        'authentication failed: the broker refuses the token: invalid_token',
      );
    } finally {
      await other.stop();
    }
  });

  it('connects by TLS, to brokers that it can trust', async () => {
    const { ca, client } = authority;
    const metadata = { topic: 'jobs', tls: 'enable' };
    const { tls: port } = server.ports;
    expect(await read(kafka, metadata, { ca }, port)).to.include({ value: 4 });
    expect(await read(kafka, metadata, { ca, ...client }, port)).to.include({ value: 4 });
    expect(await messageOf(read(kafka, metadata, {}, port))).to.match(/certificate/);
    const unsafe = { ...metadata, unsafeSsl: 'true' };
    expect(await read(kafka, unsafe, {}, port)).to.include({ value: 4 });
  });

  it('takes a missing topic for an error and not for 0, and does not make it', async () => {
    expect(await messageOf(read(kafka, { topic: 'none' }))).to.match(/^Kafka at .*topic/i);
    const admin = server.client.admin();
    await admin.connect();
    expect(await admin.listTopics()).not.to.include('none');
    await admin.disconnect();
  });

  it('tells when the broker has gone', async () => {
    const gauge = await open(kafka, { topic: 'jobs' });
    await server.stop();
    expect(await messageOf(ask(gauge))).to.match(/^Kafka at 127\.0\.0\.1:/);
  });
});
