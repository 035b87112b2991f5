import { expect } from 'chai';
import { etcd } from '../../../src/scaler/triggers/etcd.ts';
import { freePort } from '../../support/free-port.ts';
import { readTrigger } from '../../support/scaler/read-trigger.ts';
import { describeTrigger } from '../../support/scaler/trigger-cases.ts';
import { serve, type WebServer } from '../../support/scaler/web-server.ts';

const valid = { endpoints: 'etcd:2379', watchKey: 'queue', value: '5' };
const ENDPOINTS = 'endpoints must be host:port, or URLs of servers, between commas';

describeTrigger(etcd, [
  ['takes a key', { metadata: valid }, { name: 'etcd-queue', target: 5 }],
  [
    'takes several servers, as URLs too',
    { metadata: { ...valid, endpoints: 'a:2379, http://b:2379/,https://c' } },
    {},
  ],
  ['refuses an empty server', { metadata: { ...valid, endpoints: 'a:2379,' } }, [ENDPOINTS]],
  [
    'refuses the path of a server',
    { metadata: { ...valid, endpoints: 'http://a/v3' } },
    [ENDPOINTS],
  ],
  [
    'refuses a user without password, and a key without certificate',
    { metadata: valid, authentication: { username: 'u', key: 'k', tls: 'enable' } },
    [
      'password is missing: username is given, and one does not go without the other',
      'cert is missing: key is given, and one does not go without the other',
    ],
  ],
  [
    'refuses plain servers where TLS is enabled, and other words',
    { metadata: { ...valid, endpoints: 'http://a' }, authentication: { tls: 'enable' } },
    ['endpoints must not begin with http:// where tls is enable: write https://'],
  ],
  [
    'refuses other words for tls',
    { metadata: valid, authentication: { tls: 'true' } },
    ['tls must be one of enable, disable'],
  ],
  [
    'refuses no time between signs of life',
    { metadata: { ...valid, watchProgressNotifyInterval: '0' } },
    ['watchProgressNotifyInterval must be at least 1 and not "0"'],
  ],
]);

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('trigger etcd', () => {
  let server: WebServer;
  let answer: readonly [status: number, body: string];
  let asked: readonly [url: string | undefined, body: unknown][];
  before(async () => {
    server = await serve(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      asked = [...asked, [request.url, JSON.parse(Buffer.concat(pieces).toString())]];
      const [status, body] = answer;
      response.writeHead(status).end(body);
    });
  });
  after(() => server.close());
  const read = (status: number, body: object | string, endpoints = server.url) => {
    asked = [];
    answer = [status, typeof body === 'string' ? body : JSON.stringify(body)];
    return readTrigger(etcd, { metadata: { ...valid, endpoints } });
  };
  const value = (text: string) => ({ kvs: [{ key: base64('queue'), value: base64(text) }] });

  it('reads the number under a key', async () => {
    expect(await read(200, value(' 7.5\n'))).to.deep.equal({ value: 7.5, isActive: true });
    expect(asked).to.deep.equal([['/v3/kv/range', { key: base64('queue') }]]);
  });

  it('asks the next server where one does not answer', async () => {
    const endpoints = `http://127.0.0.1:${await freePort()},${server.url}`;
    expect(await read(200, value('2'), endpoints)).to.include({ value: 2 });
  });

  const FAILURES: readonly (readonly [string, number, object | string, string])[] = [
    ['no key', 200, {}, 'etcd has no key queue: create it with a number'],
    ['no number', 200, value('many'), 'the value of key queue in etcd is no number'],
    ['an empty value', 200, value(''), 'the value of key queue in etcd is no number'],
    [
      'no rights',
      403,
      { error: 'permission denied' },
      '<url>/v3/kv/range answers with HTTP status 403: permission denied ' +
        '(check what its credentials allow)',
    ],
    [
      'a certificate that etcd will not have',
      400,
      'CommonName of client sending a request against gateway will be ignored and not used as expected',
      '<url>/v3/kv/range refuses the certificate because it has a common name, and etcd has users: ' +
        'give a certificate without one in cert and key',
    ],
    ['garbage', 200, '<html>', '<url>/v3/kv/range answers with something else than JSON'],
  ];
  for (const [title, status, body, message] of FAILURES) {
    it(`fails with ${title}`, async () => {
      expect(await read(status, body)).to.equal(message.replace('<url>', server.url));
    });
  }

  it('tells of each server why it did not answer', async () => {
    const port = await freePort();
    const message = await read(500, '', `http://127.0.0.1:${port},${server.url}`);
    expect(message).to.contain(`:${port}/v3/kv/range cannot be asked: connect ECONNREFUSED`);
    expect(message).to.contain(`${server.url}/v3/kv/range answers with HTTP status 500`);
  });
});
