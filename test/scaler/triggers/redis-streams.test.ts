import { expect } from 'chai';
import { redisStreams } from '../../../src/scaler/triggers/redis-streams.ts';
import type { RedisConnection } from '../../../src/scaler/triggers/support/redis-connection.ts';
import { readLength } from '../../../src/scaler/triggers/support/redis-length.ts';
import { readStream, requireLag } from '../../../src/scaler/triggers/support/redis-stream.ts';
import { describeTrigger, messageOf } from '../../support/scaler/trigger-cases.ts';

const here = { stream: 'jobs', address: 'redis:6379' };
const group = { ...here, consumerGroup: 'workers' };

describeTrigger(redisStreams, [
  [
    'counts the stream without a group',
    { metadata: here },
    { name: 'redis-streams-jobs', target: 5 },
  ],
  ['takes the length of the stream', { metadata: { ...here, streamLength: '7' } }, { target: 7 }],
  [
    'counts what is pending in a group',
    { metadata: { ...group, pendingEntriesCount: '8' } },
    { target: 8 },
  ],
  ['counts the lag of a group', { metadata: { ...group, lagCount: '9' } }, { target: 9 }],
  ['ignores the lag without a group', { metadata: { ...here, lagCount: '9' } }, { target: 5 }],
  [
    'refuses a target of 0 of its mode',
    { metadata: { ...group, pendingEntriesCount: '0' } },
    ['pendingEntriesCount must be more than 0 and not 0'],
  ],
  [
    'refuses a lag below 0',
    { metadata: { ...group, lagCount: '-1' } },
    ['lagCount must be more than 0 and not -1'],
  ],
  [
    'needs a stream',
    { metadata: { address: 'a:1' } },
    ["stream is missing: give stream in the trigger's metadata"],
  ],
  [
    'needs an address',
    { metadata: { stream: 'jobs' } },
    ['address is missing: give host:port, or host and port'],
  ],
]);

/** Answers each command as told; an Error is an error of Redis. */
function redisWith(replies: Readonly<Record<string, unknown>>): RedisConnection {
  const answer = async (command: string) => {
    const reply = replies[command];
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return { call: answer, evaluate: () => answer('EVAL'), close: () => {} };
}

describe('readStream', () => {
  const question = { stream: 'jobs', group: 'workers' };
  const groups = (lag: unknown) => [
    ['name', 'others', 'pending', 1, 'lag', 99],
    ['name', 'workers', 'pending', 1, 'lag', lag],
  ];
  const READINGS = [
    ['length', { XLEN: 12 }, 12],
    ['pending', { XPENDING: [3, '1-0', '3-0', []] }, 3],
    ['pending', { XPENDING: [0, null, null, null] }, 0],
    ['lag', { XINFO: groups(4) }, 4],
    ['lag', { XINFO: new Error('ERR no such key') }, 0],
    ['lag', { XINFO: [['name', 'others', 'lag', 1]], XLEN: 6 }, 6],
  ] as const;
  for (const [mode, replies, value] of READINGS) {
    it(`reads ${value} in mode ${mode} from ${Object.keys(replies)}`, async () => {
      expect(await readStream(redisWith(replies), { ...question, mode })).to.equal(value);
    });
  }

  const FAILURES = [
    ['pending', { XPENDING: new Error('NOGROUP No such key') }, /NOGROUP/],
    ['pending', { XPENDING: null }, /is no count/],
    ['length', { XLEN: '12' }, /is no count/],
    ['lag', { XINFO: groups(null) }, /workers is unknown, as entries of jobs were deleted/],
    ['lag', { XINFO: new Error('NOPERM') }, /NOPERM/],
  ] as const;
  for (const [mode, replies, message] of FAILURES) {
    it(`takes ${message} in mode ${mode} for an error and not for 0`, async () => {
      expect(await messageOf(readStream(redisWith(replies), { ...question, mode }))).to.match(
        message,
      );
    });
  }

  it('asks for Redis 7 where the lag counts', async () => {
    await requireLag(redisWith({ INFO: '# Server\r\nredis_version:7.0.15\r\n' }));
    const old = requireLag(redisWith({ INFO: '# Server\r\nredis_version:6.2.1\r\n' }));
    expect(await messageOf(old)).to.equal(
      'lagCount needs Redis 7 or later, and this is version 6.2.1',
    );
  });
});

describe('readLength', () => {
  it('takes an answer that is no count for an error and not for 0', async () => {
    expect(await readLength(redisWith({ EVAL: 3 }), 'jobs')).to.equal(3);
    expect(await messageOf(readLength(redisWith({ EVAL: null }), 'jobs'))).to.match(/no count/);
  });
});
