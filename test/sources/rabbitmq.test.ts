import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'amqplib';
import { expect } from 'chai';
import { createHttp, httpSettings } from '../../src/scaler/http.ts';
import type { Gauge, Reading } from '../../src/scaler/trigger.ts';
import { rabbitmq } from '../../src/scaler/triggers/rabbitmq.ts';
import { makeTestAuthority, type TestAuthority } from '../support/scaler/certificates.ts';
import { openTrigger } from '../support/scaler/configure-trigger.ts';
import { messageOf } from '../support/scaler/trigger-cases.ts';
import { skipFor } from '../support/skip.ts';
import { type RabbitmqServer, startRabbitmq } from '../support/sources/rabbitmq.ts';
import { whyNot } from '../support/sources/server.ts';

type Texts = Readonly<Record<string, string>>;

describe('rabbitmq on RabbitMQ', () => {
  const http = createHttp({ ...httpSettings({}), timeoutMs: 60_000 });
  const gauges: Gauge[] = [];
  let authority: TestAuthority;
  let server: RabbitmqServer;

  before(async function () {
    skipFor(whyNot(['rabbitmq-server', 'epmd'], 'rabbitmq-server'), this);
    authority = await makeTestAuthority();
    server = await startRabbitmq(authority);
    await server.publish('/', 'jobs.one', 3);
    await server.publish('/', 'jobs.two', 4);
    await server.publish('my shop', 'orders', 2);
  });
  after(async () => {
    await Promise.all(gauges.map((gauge) => gauge.close()));
    await server?.stop();
    await http.close();
  });

  async function open(host: string, metadata: Texts, authentication: Texts = {}) {
    const gauge = await openTrigger(
      rabbitmq,
      { metadata: { host, queueName: 'jobs.one', ...metadata }, authentication },
      { http },
    );
    gauges.push(gauge);
    return gauge;
  }
  const ask = (gauge: Gauge) => gauge.read(AbortSignal.timeout(60_000), '');
  const read = async (...of: Parameters<typeof open>) => ask(await open(...of));
  const amqpUrl = (rest = '') => `amqp://app:p4ss%2Fword@127.0.0.1:${server.ports.amqp}${rest}`;
  const httpUrl = (rest = '') => `http://app:p4ss%2Fword@127.0.0.1:${server.ports.http}${rest}`;

  /** The management plugin learns of messages with a delay; until then it may tell none. */
  async function eventually(isRight: (reading: Reading) => boolean, gauge: Gauge) {
    const deadline = Date.now() + 120_000;
    for (;;) {
      const reading = await ask(gauge).catch((error: Error) => error);
      if (!(reading instanceof Error) && isRight(reading)) return reading;
      if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(reading)} ${reading}`);
      await delay(200);
    }
  }

  it('counts messages over amqp as they come', async () => {
    await server.publish('/', 'growing', 1);
    const growing = await open(amqpUrl(), { queueName: 'growing', activationValue: '1' });
    expect(await ask(growing)).to.deep.equal({ value: 1, isActive: false });
    await server.publish('/', 'growing', 1);
    expect(await ask(growing)).to.deep.equal({ value: 2, isActive: true });
  });

  it('finds virtual hosts over amqp', async () => {
    const orders = { queueName: 'orders' };
    expect(await read(amqpUrl('/my%20shop'), orders)).to.include({ value: 2 });
    expect(await read(amqpUrl(), { ...orders, vhostName: 'my shop' })).to.include({ value: 2 });
  });

  it('takes the login of the authentication over amqp', async () => {
    const host = `amqp://127.0.0.1:${server.ports.amqp}`;
    const login = { username: 'app', password: 'p4ss/word' };
    expect(await read(host, {}, login)).to.include({ value: 3 });
  });

  it('connects by TLS, by a password and by a certificate alone', async () => {
    const { ca, client } = authority;
    const host = `amqps://localhost:${server.ports.amqps}`;
    const byPassword = { ca, tls: 'enable', username: 'app', password: 'p4ss/word' };
    expect(await read(host, {}, byPassword)).to.include({ value: 3 });
    expect(await read(host, {}, { ca, tls: 'enable', ...client })).to.include({ value: 3 });
  });

  it('shows under the name of its object', async () => {
    await read(amqpUrl(), {});
    const connections = `http://127.0.0.1:${server.ports.http}/api/connections`;
    const authorization = `Basic ${Buffer.from('app:p4ss/word').toString('base64')}`;
    const deadline = Date.now() + 120_000;
    let text = '';
    while (!text.includes('tsprov-scaler/shop/cart') && Date.now() < deadline) {
      text = await (await fetch(connections, { headers: { authorization } })).text();
      await delay(200);
    }
    expect(text).to.contain('tsprov-scaler/shop/cart');
  });

  const MODES: readonly (readonly [string, Texts, number])[] = [
    ['a queue', { mode: 'QueueLength' }, 3],
    [
      'a queue of another virtual host',
      { mode: 'QueueLength', queueName: 'orders', vhostName: 'my shop' },
      2,
    ],
    ['the sum of several', { mode: 'QueueLength', queueName: '^jobs', useRegex: 'true' }, 7],
    [
      'the average of several',
      { mode: 'QueueLength', queueName: '^jobs', useRegex: 'true', operation: 'avg' },
      3,
    ],
    [
      'the most of several',
      { mode: 'QueueLength', queueName: '^jobs', useRegex: 'true', operation: 'max' },
      4,
    ],
    ['none of several', { mode: 'QueueLength', queueName: '^none', useRegex: 'true' }, 0],
    ['a rate of nothing', { mode: 'DeliverGetRate' }, 0],
  ];
  for (const [title, metadata, value] of MODES) {
    it(`reads over http: ${title}`, async () => {
      const gauge = await open(httpUrl(), { value: '5', ...metadata });
      expect(await eventually((reading) => reading.value === value, gauge)).to.include({ value });
    });
  }

  it('reads the rate of publishing over http', async () => {
    const gauge = await open(httpUrl(), { queueName: 'busy', mode: 'MessageRate', value: '5' });
    let isBusy = true;
    const publishing = (async () => {
      while (isBusy) await server.publish('/', 'busy', 20);
    })();
    const reading = await eventually(({ value }) => value > 0, gauge);
    isBusy = false;
    await publishing;
    expect(reading.isActive).to.equal(true);
  });

  it('leaves out what is not acknowledged when told', async () => {
    await server.publish('/', 'held', 3);
    const connection = await connect(amqpUrl());
    const channel = await connection.createChannel();
    await channel.get('held');
    const of = (more: Texts) =>
      open(httpUrl(), { queueName: 'held', mode: 'QueueLength', value: '5', ...more });
    await eventually(({ value }) => value === 2, await of({ excludeUnacknowledged: 'true' }));
    await eventually(({ value }) => value === 3, await of({}));
    await connection.close();
  });

  const REFUSALS: readonly (readonly [string, () => string, Texts, RegExp])[] = [
    ['a missing queue over amqp', () => amqpUrl(), { queueName: 'none' }, /NOT_FOUND|NOT-FOUND/],
    [
      'a missing virtual host over amqp',
      () => amqpUrl('/none'),
      {},
      /there is no virtual host "none", or app may not use it/,
    ],
    [
      'a wrong password over amqp',
      () => amqpUrl().replace('p4ss%2Fword', 'hunter2'),
      {},
      /ACCESS_REFUSED|ACCESS-REFUSED/,
    ],
    [
      'a missing queue over http',
      () => httpUrl(),
      { queueName: 'none', mode: 'QueueLength', value: '1' },
      /404: Object Not Found/,
    ],
    [
      'a wrong password over http',
      () => httpUrl().replace('p4ss%2Fword', 'hunter2'),
      { mode: 'QueueLength', value: '1' },
      /401/,
    ],
    [
      'more queues than a page',
      () => httpUrl(),
      { queueName: 'jobs', useRegex: 'true', pageSize: '1', mode: 'QueueLength', value: '1' },
      /raise pageSize/,
    ],
  ];
  for (const [title, host, metadata, message] of REFUSALS) {
    it(`takes ${title} for an error and not for 0, and tells no password`, async () => {
      const said = await messageOf(read(host(), metadata));
      expect(said)
        .to.match(message)
        .and.not.match(/p4ss|hunter2/);
    });
  }

  it('does not trust a server whose authority it does not know', async () => {
    const { ca } = await makeTestAuthority();
    const host = `amqps://app:p4ss%2Fword@localhost:${server.ports.amqps}`;
    expect(await messageOf(read(host, {}, { ca, tls: 'enable' }))).to.match(/certificate/);
  });

  it('tells when the server has gone', async () => {
    const gauge = await open(amqpUrl(), {});
    await server.stop();
    expect(await messageOf(ask(gauge))).to.match(/^RabbitMQ at 127\.0\.0\.1:/);
  });
});
