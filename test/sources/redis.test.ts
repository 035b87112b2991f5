import { expect } from 'chai';
import type { AnyTrigger, Gauge } from '../../src/scaler/trigger.ts';
import { redis } from '../../src/scaler/triggers/redis.ts';
import { redisCluster } from '../../src/scaler/triggers/redis-cluster.ts';
import { redisClusterStreams } from '../../src/scaler/triggers/redis-cluster-streams.ts';
import { redisSentinel } from '../../src/scaler/triggers/redis-sentinel.ts';
import { redisSentinelStreams } from '../../src/scaler/triggers/redis-sentinel-streams.ts';
import { redisStreams } from '../../src/scaler/triggers/redis-streams.ts';
import { makeTestAuthority, type TestAuthority } from '../support/scaler/certificates.ts';
import { openTrigger } from '../support/scaler/configure-trigger.ts';
import { messageOf } from '../support/scaler/trigger-cases.ts';
import { skipFor } from '../support/skip.ts';
import {
  type RedisServer,
  startRedis,
  startRedisCluster,
  startRedisSentinel,
  startSecureRedis,
} from '../support/sources/redis.ts';
import { whyNot } from '../support/sources/server.ts';

type Texts = Readonly<Record<string, string>>;
interface Kind {
  readonly list: AnyTrigger;
  readonly streams: AnyTrigger;
  readonly start: () => Promise<RedisServer>;
  readonly metadata?: Texts;
  readonly authentication?: Texts;
}

const KINDS: Readonly<Record<string, Kind>> = {
  'one server': { list: redis, streams: redisStreams, start: () => startRedis() },
  'a cluster': { list: redisCluster, streams: redisClusterStreams, start: startRedisCluster },
  sentinels: {
    list: redisSentinel,
    streams: redisSentinelStreams,
    start: startRedisSentinel,
    metadata: { sentinelMaster: 'main' },
    authentication: { password: 'hunter2', sentinelPassword: 'guard-word' },
  },
};

const gauges: Gauge[] = [];
async function open(trigger: AnyTrigger, metadata: Texts, authentication: Texts = {}) {
  const gauge = await openTrigger(trigger, { metadata, authentication });
  gauges.push(gauge);
  return gauge;
}
const ask = (gauge: Gauge) => gauge.read(AbortSignal.timeout(60_000), '');
const read = async (...of: Parameters<typeof open>) => ask(await open(...of));
after(() => Promise.all(gauges.map((gauge) => gauge.close())));

for (const [title, kind] of Object.entries(KINDS)) {
  describe(`redis: ${title}`, () => {
    let server: RedisServer;
    before(async function () {
      skipFor(whyNot(['redis-server', 'redis-sentinel'], 'redis-server redis-sentinel'), this);
      server = await kind.start();
      await fill(server);
    });
    after(() => server?.stop());

    const given = (metadata: Texts) => ({
      address: server.addresses.join(','),
      ...kind.metadata,
      ...metadata,
    });
    const list = (listName: string) => read(kind.list, given({ listName }), kind.authentication);
    const stream = (metadata: Texts) => read(kind.streams, given(metadata), kind.authentication);

    for (const [key, value] of [
      ['list', 3],
      ['set', 2],
      ['sorted', 4],
      ['hash', 1],
      ['missing', 0],
    ] as const) {
      it(`reads the length of a key: ${key}`, async () => {
        expect(await list(key)).to.deep.equal({ value, isActive: value > 0 });
      });
    }

    it('takes a key of another kind for an error and not for 0', async () => {
      expect(await messageOf(list('text'))).to.match(/the key holds a string/);
    });

    it('follows a list as it grows', async () => {
      const metadata = given({ listName: 'growing', activationListLength: '1' });
      const gauge = await open(kind.list, metadata, kind.authentication);
      await server.client.rpush('growing', 'a');
      expect(await ask(gauge)).to.deep.equal({ value: 1, isActive: false });
      await server.client.rpush('growing', 'b');
      expect(await ask(gauge)).to.deep.equal({ value: 2, isActive: true });
    });

    for (const [mode, metadata, value] of [
      ['length', {}, 5],
      ['pending', { consumerGroup: 'workers' }, 2],
      ['lag', { consumerGroup: 'workers', lagCount: '1' }, 3],
      ['lag of a group nobody made', { consumerGroup: 'nobody', lagCount: '1' }, 5],
      ['lag of a stream nobody made', { stream: 'none', consumerGroup: 'w', lagCount: '1' }, 0],
    ] as const) {
      it(`reads a stream: ${mode}`, async () => {
        expect(await stream({ stream: 'stream', ...metadata })).to.include({ value });
      });
    }

    it('takes what is pending in a group that nobody made for an error and not for 0', async () => {
      const said = await messageOf(stream({ stream: 'stream', consumerGroup: 'nobody' }));
      expect(said).to.match(/NOGROUP/);
    });

    it('tells when the servers have gone', async () => {
      const gauge = await open(kind.list, given({ listName: 'list' }), kind.authentication);
      await server.stop();
      expect(await messageOf(ask(gauge))).to.match(/^Redis at /);
    });
  });
}

describe('redis: TLS and access control', () => {
  let authority: TestAuthority;
  let server: RedisServer;
  before(async function () {
    skipFor(whyNot(['redis-server'], 'redis-server'), this);
    authority = await makeTestAuthority();
    server = await startSecureRedis(authority);
    await server.client.rpush('jobs', 'a', 'b');
    await server.client.rpush('private', 'a');
  });
  after(() => server?.stop());

  const login = () => ({
    ...{ ca: authority.ca, cert: authority.client.cert, key: authority.client.key },
    ...{ tls: 'enable', username: 'app', password: 'hunter2', addresses: server.addresses.join() },
  });

  it('reads with a certificate and a user', async () => {
    expect(await read(redis, { listName: 'jobs' }, login())).to.include({ value: 2 });
  });

  it('reads with enableTLS', async () => {
    const { tls: _, ...rest } = login();
    expect(await read(redis, { listName: 'jobs', enableTLS: 'true' }, rest)).to.include({
      value: 2,
    });
  });

  const REFUSALS: readonly (readonly [string, string, Texts, RegExp])[] = [
    ['a wrong password', 'jobs', { password: 'h4nter' }, /WRONGPASS/],
    ['a key that the user may not read', 'private', {}, /NOPERM|can't access|No permissions/i],
    ['no TLS', 'jobs', { tls: 'disable' }, /Redis at localhost/],
  ];
  for (const [title, listName, other, message] of REFUSALS) {
    it(`takes ${title} for an error and not for 0, and tells no password`, async () => {
      const said = await messageOf(read(redis, { listName }, { ...login(), ...other }));
      expect(said)
        .to.match(message)
        .and.not.match(/hunter2|h4nter/);
    });
  }

  it('does not trust a server whose authority it does not know', async () => {
    const { ca } = await makeTestAuthority();
    const reading = read(redis, { listName: 'jobs' }, { ...login(), ca });
    expect(await messageOf(reading)).to.match(/certificate/);
  });
});

async function fill({ client }: RedisServer): Promise<void> {
  await client.rpush('list', 'a', 'b', 'c');
  await client.sadd('set', 'a', 'b');
  await client.zadd('sorted', 1, 'a', 2, 'b', 3, 'c', 4, 'd');
  await client.hset('hash', 'field', 'value');
  await client.set('text', 'value');
  for (let entry = 1; entry <= 5; entry++) await client.xadd('stream', `${entry}-0`, 'n', entry);
  await client.xgroup('CREATE', 'stream', 'workers', '0');
  await client.xreadgroup('GROUP', 'workers', 'one', 'COUNT', 2, 'STREAMS', 'stream', '>');
}
