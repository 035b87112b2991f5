import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Gauge } from '../../src/scaler/trigger.ts';
import { etcd } from '../../src/scaler/triggers/etcd.ts';
import { makeTestAuthority, type TestAuthority } from '../support/scaler/certificates.ts';
import { openTrigger } from '../support/scaler/configure-trigger.ts';
import { readTrigger, realHttp } from '../support/scaler/read-trigger.ts';
import { messageOf } from '../support/scaler/trigger-cases.ts';
import { skipFor } from '../support/skip.ts';
import { type EtcdServer, startEtcd } from '../support/sources/etcd.ts';
import { whyNot } from '../support/sources/server.ts';

describe('etcd: a real server', () => {
  let authority: TestAuthority;
  let server: EtcdServer;
  before(async function () {
    skipFor(whyNot(['etcd'], 'etcd-server'), this);
    authority = await makeTestAuthority();
    server = await startEtcd(authority, true);
    await server.put('queue', '7.5');
    await server.put('word', 'many');
  });
  after(() => server?.stop());

  const given = (metadata: Record<string, string> = {}, login: Record<string, string> = {}) => ({
    metadata: { endpoints: server.endpoint, watchKey: 'queue', value: '5', ...metadata },
    authentication: { tls: 'enable', ca: authority.ca, ...authority.client, ...login },
  });
  const read = (...of: Parameters<typeof given>) => readTrigger(etcd, given(...of));

  it('reads the number under a key', async () => {
    expect(await read()).to.deep.equal({ value: 7.5, isActive: true });
    expect(await read({ activationValue: '7.5' })).to.include({ isActive: false });
  });

  it('fails without key, number or certificate', async () => {
    expect(await read({ watchKey: 'none' })).to.contain('etcd has no key none');
    expect(await read({ watchKey: 'word' })).to.contain('is no number');
    expect(await read({}, { cert: '', key: '' })).to.contain('cannot be asked');
  });
});

describe('etcd: a real server that is watched', () => {
  let authority: TestAuthority;
  let server: EtcdServer;
  let stop: AbortController;
  let watching: Promise<void> | undefined;
  let calls: number;
  before(async function () {
    skipFor(whyNot(['etcd'], 'etcd-server'), this);
    authority = await makeTestAuthority();
    server = await startEtcd(authority, false);
  });
  after(() => server?.stop());
  beforeEach(() => {
    stop = new AbortController();
    calls = 0;
  });
  afterEach(async () => {
    stop.abort();
    await watching;
    while ((await server.watches()) > 0) await delay(50);
  });

  const open = (activationValue: string, login: Record<string, string> = {}) =>
    openTrigger(
      etcd,
      {
        metadata: { endpoints: server.endpoint, watchKey: 'queue', value: '5', activationValue },
        authentication: { tls: 'enable', ca: authority.ca, ...login },
      },
      { http: realHttp },
    );
  const watch = async (...of: Parameters<typeof open>) => {
    const gauge = await open(...of);
    watching = gauge.watch?.(() => {
      calls += 1;
    }, stop.signal);
  };
  const ask = (gauge: Gauge) => gauge.read(AbortSignal.timeout(60_000), '');
  /** Puts a value once the watch has begun, and waits until it is told. */
  const putAndWait = async (value: string) => {
    while ((await server.watches()) === 0) await delay(50);
    const before = calls;
    await server.put('queue', value);
    while (calls === before) await delay(10);
  };

  it('tells of work at once, and of nothing else', async () => {
    await watch('3');
    await putAndWait('4');
    for (const value of ['3', 'many', '']) await server.put('queue', value);
    await server.call('kv/deleterange', { key: btoa('queue') });
    await putAndWait('5');
    await putAndWait('6');
    expect(calls).to.equal(3);
  });

  it('goes on after the server was away, for a user who logs in too', async () => {
    const login = { username: 'root', password: 'hunter2' };
    await server.put('queue', '7.5');
    await server.requireLogin();
    expect(await messageOf(ask(await open('0')))).to.contain('user name is empty');
    expect(await messageOf(ask(await open('0', { ...login, password: 'wrong-word' })))).to.match(
      /authentication failed, invalid user ID or password/,
    );
    const gauge = await open('0', login);
    expect(await ask(gauge)).to.deep.equal({ value: 7.5, isActive: true });
    await watch('0', login);
    await putAndWait('9');
    await server.restart(); // It forgets the tokens that it gave.
    await putAndWait('10');
    expect(await ask(gauge)).to.include({ value: 10 });
  });
});
