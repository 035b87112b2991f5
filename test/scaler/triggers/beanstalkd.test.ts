import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { beanstalkd } from '../../../src/scaler/triggers/beanstalkd.ts';
import { freePort } from '../../support/free-port.ts';
import { readTrigger } from '../../support/scaler/read-trigger.ts';
import { describeTrigger } from '../../support/scaler/trigger-cases.ts';

const valid = { server: 'queue:11300', tube: 'mail', value: '5' };

describeTrigger(beanstalkd, [
  ['takes a tube', { metadata: valid }, { name: 'beanstalkd-mail', target: 5 }],
  [
    'escapes the tube in the name of the metric',
    { metadata: { ...valid, tube: 'a/b(c)+d e' } },
    { name: 'beanstalkd-a%2Fb%28c%29%2Bd+e' },
  ],
  ['takes an address of IPv6', { metadata: { ...valid, server: '[::1]:11300' } }, {}],
  [
    'refuses an address without a port',
    { metadata: { ...valid, server: 'queue' } },
    ['server must be host:port and not "queue"'],
  ],
  [
    'refuses a port that is none, and no patience at all',
    { metadata: { ...valid, server: 'queue:http', timeout: '0s' } },
    ['server has port http: give a number from 1 to 65535', 'timeout must be more than 0'],
  ],
]);

describe('trigger beanstalkd', () => {
  let server: Server;
  let answers: readonly string[];
  let asked: string;
  before(async () => {
    server = createServer((socket) => {
      socket.on('error', () => {}); // The client may go first.
      socket.once('data', async (command) => {
        asked = command.toString();
        for (const answer of answers) {
          if (answer === 'END') socket.end();
          else await new Promise((resolve) => socket.write(answer, resolve));
        }
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());
  const portOf = () => (server.address() as AddressInfo).port;
  const read = (given: readonly string[], metadata: Record<string, string> = {}) => {
    answers = given;
    const server = `127.0.0.1:${portOf()}`;
    return readTrigger(beanstalkd, { metadata: { ...valid, server, ...metadata } });
  };

  const BODY =
    '---\nname: mail\ncurrent-jobs-urgent: 9\ncurrent-jobs-ready: 3\ncurrent-jobs-reserved: 2\n' +
    'current-jobs-delayed: 4\ncurrent-jobs-buried: 9\n';
  const STATS = `OK ${BODY.length}\r\n${BODY}\r\n`;
  const VALUES: readonly (readonly [string, readonly string[], Record<string, string>, object])[] =
    [
      ['ready and reserved jobs', [STATS], {}, { value: 5, isActive: true }],
      ['delayed jobs too', [STATS], { includeDelayed: 'true' }, { value: 9, isActive: true }],
      [
        'an answer in pieces',
        [STATS.slice(0, 3), STATS.slice(3, 40), STATS.slice(40)],
        { activationValue: '5' },
        { value: 5, isActive: false },
      ],
      ['no such tube', ['NOT_FOUND\r\n'], {}, { value: 0, isActive: false }],
    ];
  for (const [title, given, metadata, reading] of VALUES) {
    it(`reads ${title}`, async () => {
      expect(await read(given, metadata)).to.deep.equal(reading);
      expect(asked).to.equal('stats-tube mail\r\n');
    });
  }

  const FAILURES: readonly (readonly [string, readonly string[], string])[] = [
    ['another protocol', ['HTTP/1.1 400 Bad Request\r\n'], 'it answers "HTTP/1.1 400 Bad Request"'],
    ['an error', ['BAD_FORMAT\r\n'], 'it answers "BAD_FORMAT"'],
    ['an early end', ['OK 100\r\nshort', 'END'], 'it ended the connection before its answer'],
    ['silence', ['OK 100\r\n'], 'no answer within 60 ms'],
    ['an endless answer', ['x'.repeat(70_000)], 'its answer is too long'],
  ];
  for (const [title, given, message] of FAILURES) {
    it(`fails with ${title}`, async () => {
      expect(await read(given, title === 'silence' ? { timeout: '60ms' } : {})).to.equal(
        `beanstalkd at 127.0.0.1:${portOf()}: ${message}`,
      );
    });
  }

  it('fails with numbers that are missing', async () => {
    expect(await read(['OK 4\r\n---\n\r\n'])).to.equal(
      'beanstalkd answers without the numbers of jobs',
    );
  });

  it('names the cure where nobody listens', async () => {
    const port = await freePort();
    const outcome = await read([], { server: `127.0.0.1:${port}` });
    expect(outcome).to.contain('nothing listens there: check host and port');
  });
});
