import { expect } from 'chai';
import type { AnyTrigger } from '../../../src/scaler/trigger.ts';
import { redis } from '../../../src/scaler/triggers/redis.ts';
import { redisCluster } from '../../../src/scaler/triggers/redis-cluster.ts';
import { redisSentinel } from '../../../src/scaler/triggers/redis-sentinel.ts';
import { freePort } from '../../support/free-port.ts';
import { configureTrigger, openTrigger } from '../../support/scaler/configure-trigger.ts';
import { describeTrigger, messageOf } from '../../support/scaler/trigger-cases.ts';

const asked = { listName: 'jobs' };
const here = { ...asked, address: 'redis:6379' };

const COMMON: Parameters<typeof describeTrigger>[1] = [
  ['is named after the key', { metadata: here }, { name: 'redis-jobs', target: 5 }],
  ['takes a target', { metadata: { ...here, listLength: '20' } }, { target: 20 }],
  ['takes hosts and ports', { metadata: { ...asked, hosts: 'a,b', ports: '1,2' } }, { target: 5 }],
  [
    'takes address and login from authentication',
    { metadata: asked, authentication: { addresses: 'redis:1', username: 'u', password: 'p' } },
    { target: 5 },
  ],
  [
    'takes all from the environment',
    {
      metadata: { ...asked, hostFromEnv: 'H', portFromEnv: 'P', passwordFromEnv: 'W' },
      environment: { H: 'redis', P: '1', W: 'p' },
    },
    { target: 5 },
  ],
  [
    'needs a key',
    { metadata: { address: 'a:1' } },
    ["listName is missing: give listName in the trigger's metadata"],
  ],
  [
    'refuses a target of 0',
    { metadata: { ...here, listLength: '0' } },
    ['listLength must be more than 0 and not 0'],
  ],
  [
    'needs an address',
    { metadata: asked },
    ['address is missing: give host:port, or host and port'],
  ],
  [
    'needs a port',
    { metadata: { ...asked, address: 'redis' } },
    ['address must be host:port and not "redis"'],
  ],
  [
    'wants a number for a port',
    { metadata: { ...asked, address: 'redis:six' } },
    ['address redis:six has port six: give a number from 1 to 65535'],
  ],
  [
    'needs a port for each host',
    { metadata: { ...asked, host: 'a,b', port: '1' } },
    ['2 host and 1 port are given: give a port for each host'],
  ],
  [
    'takes TLS from one place only',
    { metadata: { ...here, enableTLS: 'true' }, authentication: { tls: 'enable' } },
    ['enableTLS and tls are both given: keep one'],
  ],
];

/** The master's name is what sentinels need beside the rest. */
function withMaster(cases: typeof COMMON): typeof COMMON {
  return cases.map(([title, given, expected]) => [
    title,
    { ...given, metadata: { sentinelMaster: 'main', ...given.metadata } },
    expected,
  ]);
}

describeTrigger(redis, COMMON);
describeTrigger(redisCluster, COMMON);
describeTrigger(redisSentinel, [
  ...withMaster(COMMON),
  [
    'needs the name of the master',
    { metadata: here },
    ['sentinelMaster is missing: give the name under which the sentinels know the master'],
  ],
]);

describe('redis', () => {
  it('tells that a cluster has one database', () => {
    const { notices } = configureTrigger(redisCluster, {
      metadata: { ...here, databaseIndex: '1' },
    });
    expect(notices).to.deep.equal([
      'databaseIndex is deprecated: leave it out, a cluster has only database 0',
    ]);
  });

  const KINDS: readonly AnyTrigger[] = [redis, redisCluster, redisSentinel];
  for (const trigger of KINDS) {
    it(`${trigger.type} says where nothing listens, and not the password`, async () => {
      const address = `127.0.0.1:${await freePort()}`;
      const opening = openTrigger(trigger, {
        metadata: { ...asked, address, sentinelMaster: 'main' },
        authentication: { password: 'hunter2' },
      });
      expect(await messageOf(opening))
        .to.match(/^Redis at 127\.0\.0\.1:\d+: .*(nothing listens there|ECONNREFUSED|unreachable)/)
        .and.not.contain('hunter2');
    });
  }
});
