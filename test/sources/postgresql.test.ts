import { expect } from 'chai';
import { tlsOptions } from '../../src/scaler/tls.ts';
import type { Gauge } from '../../src/scaler/trigger.ts';
import { postgresql } from '../../src/scaler/triggers/postgresql.ts';
import { makeTestAuthority, type TestAuthority } from '../support/scaler/certificates.ts';
import { openTrigger } from '../support/scaler/configure-trigger.ts';
import { messageOf } from '../support/scaler/trigger-cases.ts';
import { skipFor } from '../support/skip.ts';
import {
  POSTGRESQL_BIN,
  type PostgresqlServer,
  startPostgresql,
} from '../support/sources/postgresql.ts';
import { whyNot } from '../support/sources/server.ts';

/** An address of loopback for which the certificate was not made. */
const OTHER_NAME = '127.0.0.3';

describe('postgresql on PostgreSQL 15', () => {
  let authority: TestAuthority;
  let server: PostgresqlServer;
  const gauges: Gauge[] = [];

  before(async function () {
    skipFor(whyNot([`${POSTGRESQL_BIN}/postgres`], 'postgresql'), this);
    authority = await makeTestAuthority();
    server = await startPostgresql(authority);
    await server.run('CREATE TABLE jobs (id int)');
    await server.run('GRANT ALL ON jobs TO app');
  });
  after(async () => {
    await Promise.all(gauges.map((gauge) => gauge.close()));
    await server?.stop();
  });

  async function open(query: string, connection: string, { ca } = authority) {
    const metadata = { query, targetQueryValue: '5', activationTargetQueryValue: '2' };
    const tls = (material: object) =>
      tlsOptions({ authorities: [ca], leastVersion: 'TLSv1.2' }, material);
    const gauge = await openTrigger(
      postgresql,
      { metadata, authentication: { connection: connection.replace('PORT', String(server.port)) } },
      { tls },
    );
    gauges.push(gauge);
    return gauge;
  }
  const read = async (query: string, connection: string, trusted = authority) =>
    (await open(query, connection, trusted)).read(AbortSignal.timeout(60_000), '');
  const dsn = (rest = '') =>
    `host=127.0.0.1 port=PORT user=app password='p4ss word' dbname=postgres ${rest}`;

  it('reads a number as it changes, and is active above the threshold', async () => {
    const gauge = await open('SELECT count(*) FROM jobs', dsn());
    const ask = () => gauge.read(AbortSignal.timeout(60_000), '');
    expect(await ask()).to.deep.equal({ value: 0, isActive: false });
    await server.run('INSERT INTO jobs SELECT generate_series(1, 3)');
    expect(await ask()).to.deep.equal({ value: 3, isActive: true });
  });

  for (const [title, query, value] of [
    ['a decimal', 'SELECT 2.50::numeric', 2.5],
    ['a float', 'SELECT 1e3::float8', 1000],
    ['text', "SELECT '7'", 7],
    ['the first column of the first row', 'SELECT 1, 2 UNION ALL SELECT 3, 4', 1],
  ] as const) {
    it(`reads ${title}`, async () => {
      expect(await read(query, dsn())).to.include({ value });
    });
  }

  const REFUSALS = [
    ['no row', 'SELECT 1 WHERE false', dsn(), /gives no row/],
    ['NULL', 'SELECT NULL', dsn(), /gives NULL/],
    ['no number', "SELECT 'many'", dsn(), /gives "many", no number/],
    ['two statements', 'SELECT 1; SELECT 2', dsn(), /multiple commands/],
    ['a missing table', 'SELECT 1 FROM nowhere', dsn(), /"nowhere" does not exist/],
    ['a missing database', 'SELECT 1', dsn('dbname=nil'), /database "nil" does not exist/],
    ['a wrong password', 'SELECT 1', dsn("password='hunter2'"), /password authentication failed/],
    [
      'no TLS where it must be',
      'SELECT 1',
      dsn('user=guarded sslmode=disable'),
      /rejects|no encryption/,
    ],
    ['a wrong name', 'SELECT 1', 'postgres://app:p4ss%20word@127.0.0.2:PORT/shop', /127\.0\.0\.2/],
  ] as const;
  for (const [title, query, connection, message] of REFUSALS) {
    it(`takes ${title} for an error and not for 0, and tells no password`, async () => {
      const said = await messageOf(read(query, connection));
      expect(said)
        .to.match(message)
        .and.not.match(/p4ss|hunter2/);
    });
  }

  for (const mode of ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']) {
    it(`connects with sslmode=${mode}`, async () => {
      const query = 'SELECT ssl::int FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
      const { value } = await read(query, dsn(`host=localhost sslmode=${mode}`));
      expect(value).to.equal(mode === 'disable' || mode === 'allow' ? 0 : 1);
    });
  }

  it('checks the name of the server with verify-full, and not with verify-ca', async () => {
    expect(await read('SELECT 1', dsn(`host=${OTHER_NAME} sslmode=verify-ca`))).to.include({
      value: 1,
    });
    expect(
      await messageOf(read('SELECT 1', dsn(`host=${OTHER_NAME} sslmode=verify-full`))),
    ).to.match(/host name that the certificate/);
  });

  it('does not trust a server whose authority it does not know', async () => {
    const reading = read('SELECT 1', dsn('sslmode=verify-ca'), await makeTestAuthority());
    expect(await messageOf(reading)).to.match(/certificate/);
  });

  it('tries the next host, and sends settings', async () => {
    const connection = dsn(`host=127.0.0.2,127.0.0.1 search_path='"jobs two"' sslmode=disable`);
    const query = "SELECT (current_setting('search_path') = '\"jobs two\"')::int";
    expect(await read(query, connection)).to.include({ value: 1 });
  });

  it('gives up a query with its caller', async () => {
    const gauge = await open('SELECT 1 FROM pg_sleep(600)', dsn());
    const caller = new AbortController();
    const reading = gauge.read(caller.signal, '');
    caller.abort(new Error('too late'));
    expect(await messageOf(reading)).to.equal('too late');
  });

  it('tells when the server has gone, and reads again once opened anew', async () => {
    const gauge = await open('SELECT 4', dsn());
    await server.run(
      "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = 'app'",
    );
    const failed = await messageOf(gauge.read(AbortSignal.timeout(60_000), ''));
    expect(failed).to.match(/^PostgreSQL at 127\.0\.0\.1:/);
    expect(await read('SELECT 4', dsn())).to.include({ value: 4 });
  });
});
