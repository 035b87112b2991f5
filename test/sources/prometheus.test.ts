import { expect } from 'chai';
import { prometheus } from '../../src/scaler/triggers/prometheus.ts';
import { makeTestAuthority, type TestAuthority } from '../support/scaler/certificates.ts';
import { readTrigger, realHttp } from '../support/scaler/read-trigger.ts';
import { serve, type WebServer } from '../support/scaler/web-server.ts';
import { skipFor } from '../support/skip.ts';
import { type PrometheusServer, startPrometheus } from '../support/sources/prometheus.ts';
import { whyNot } from '../support/sources/server.ts';

describe('prometheus: a real server', () => {
  let authority: TestAuthority;
  let target: WebServer;
  let server: PrometheusServer;
  before(async function () {
    skipFor(whyNot(['prometheus'], 'prometheus'), this);
    authority = await makeTestAuthority();
    target = await serve((_, response) =>
      response.end('orders{queue="a"} 40\norders{queue="b"} 2.5\n'),
    );
    server = await startPrometheus(authority, new URL(target.url).host);
  });
  after(async () => {
    await server?.stop();
    await target?.close();
  });

  const read = (metadata: Record<string, string>, authentication: Record<string, string> = {}) =>
    readTrigger(
      prometheus,
      {
        metadata: { serverAddress: server.url, threshold: '5', ...metadata },
        authentication: {
          authModes: 'basic',
          username: 'app',
          password: 'hunter2',
          ca: authority.ca,
          ...authentication,
        },
      },
      { http: realHttp, now: () => new Date() },
    );

  const VALUES: readonly (readonly [string, object])[] = [
    ['sum(orders)', { value: 42.5, isActive: true }],
    ['orders{queue="b"}', { value: 2.5, isActive: true }],
    ['scalar(sum(orders)) - 42.5', { value: 0, isActive: false }],
    ['absent(orders)', { value: 0, isActive: false, isEmpty: true }],
    ['vector(0) / 0', { value: 0, isActive: false, isEmpty: true }],
    ['vector(1) / 0', { value: 0, isActive: false, isEmpty: true }],
  ];
  for (const [query, reading] of VALUES) {
    it(`reads ${query}`, async () => {
      expect(await read({ query })).to.deep.equal(reading);
    });
  }

  const FAILURES: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ['orders', {}, /gives 2 series: aggregate them/],
    ['orders[1m]', {}, /gives a matrix: ask for one sample/],
    ['sum(', {}, /HTTP status 400: .*parse error/],
    ['absent(orders)', { ignoreNullValues: 'false' }, /gives no series, and ignoreNullValues/],
  ];
  for (const [query, metadata, message] of FAILURES) {
    it(`fails with ${query}`, async () => {
      expect(await read({ query, ...metadata })).to.match(message);
    });
  }

  it('fails with a wrong password, and without trust', async () => {
    const query = 'up';
    expect(await read({ query }, { password: 'wrong-word' })).to.match(/HTTP status 401/);
    const untrusting = await read({ query }, { ca: '' });
    expect(untrusting).to.contain('an authority that is not trusted');
    expect(await read({ query, unsafeSsl: 'true' }, { ca: '' })).to.include({ value: 1 });
  });
});
