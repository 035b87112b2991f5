import { expect } from 'chai';
import { tlsOptions } from '../../src/scaler/tls.ts';
import type { Gauge } from '../../src/scaler/trigger.ts';
import { mysql } from '../../src/scaler/triggers/mysql.ts';
import { makeTestAuthority, type TestAuthority } from '../support/scaler/certificates.ts';
import { openTrigger } from '../support/scaler/configure-trigger.ts';
import { messageOf } from '../support/scaler/trigger-cases.ts';
import { skipFor } from '../support/skip.ts';
import { type MariadbServer, startMariadb } from '../support/sources/mariadb.ts';
import { whyNot } from '../support/sources/server.ts';

describe('mysql on MariaDB', () => {
  let authority: TestAuthority;
  let server: MariadbServer;
  const gauges: Gauge[] = [];

  before(async function () {
    skipFor(whyNot(['mariadbd', 'mariadb-install-db'], 'mariadb-server'), this);
    authority = await makeTestAuthority();
    server = await startMariadb(authority);
    await server.run('CREATE TABLE shop.jobs (id int)');
  });
  after(async () => {
    await Promise.all(gauges.map((gauge) => gauge.close()));
    await server?.stop();
  });

  /** @param rest What follows the database. */
  async function open(query: string, rest = '', user = 'app:p4ss/word', { ca } = authority) {
    const connectionString = `${user}@tcp(localhost:${server.port})/shop${rest}`;
    const gauge = await openTrigger(
      mysql,
      {
        metadata: { query, queryValue: '5', activationQueryValue: '2' },
        authentication: { connectionString },
      },
      { tls: (material) => tlsOptions({ authorities: [ca], leastVersion: 'TLSv1.2' }, material) },
    );
    gauges.push(gauge);
    return gauge;
  }
  const ask = (gauge: Gauge) => gauge.read(AbortSignal.timeout(60_000), '');
  const read = async (...of: Parameters<typeof open>) => ask(await open(...of));

  it('reads a number as it changes, and is active above the threshold', async () => {
    const gauge = await open('SELECT COUNT(*) FROM jobs');
    expect(await ask(gauge)).to.deep.equal({ value: 0, isActive: false });
    await server.run('INSERT INTO shop.jobs VALUES (1), (2), (3)');
    expect(await ask(gauge)).to.deep.equal({ value: 3, isActive: true });
  });

  it('connects by parts', async () => {
    const gauge = await openTrigger(mysql, {
      metadata: {
        query: 'SELECT 6',
        queryValue: '5',
        host: '127.0.0.1',
        port: String(server.port),
        username: 'app',
        dbName: 'shop',
      },
      authentication: { password: 'p4ss/word' },
    });
    gauges.push(gauge);
    expect(await ask(gauge)).to.include({ value: 6 });
  });

  for (const [title, query, value] of [
    ['a decimal', 'SELECT CAST(2.50 AS DECIMAL(5,2))', 2.5],
    ['a double', 'SELECT 1e3', 1000],
    ['text', "SELECT '7'", 7],
    ['the first column of the first row', 'SELECT 1, 2 UNION ALL SELECT 3, 4', 1],
  ] as const) {
    it(`reads ${title}`, async () => {
      expect(await read(query)).to.include({ value });
    });
  }

  const REFUSALS: readonly (readonly [string, Parameters<typeof open>, RegExp])[] = [
    ['no row', ['SELECT 1 FROM jobs WHERE FALSE'], /gives no row/],
    ['NULL', ['SELECT NULL'], /gives NULL/],
    ['no number', ["SELECT 'many'"], /gives "many", no number/],
    ['a statement without rows', ['SET @a = 1'], /must be a SELECT/],
    ['two statements', ['SELECT 1; SELECT 2'], /error in your SQL syntax/],
    ['a missing table', ['SELECT 1 FROM nowhere'], /'shop.nowhere' doesn't exist/],
    ['a wrong password', ['SELECT 1', '', 'app:hunter2'], /Access denied/],
  ];
  for (const [title, of, message] of REFUSALS) {
    it(`takes ${title} for an error and not for 0, and tells no password`, async () => {
      expect(await messageOf(read(...of)))
        .to.match(message)
        .and.not.match(/p4ss|hunter2/);
    });
  }

  for (const [mode, isEncrypted] of [
    ['false', 0],
    ['preferred', 1],
    ['skip-verify', 1],
    ['true', 1],
  ] as const) {
    it(`connects with tls=${mode}`, async () => {
      const query =
        "SELECT VARIABLE_VALUE <> '' FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'";
      expect(await read(query, `?tls=${mode}`)).to.include({ value: isEncrypted });
    });
  }

  it('does not trust a server whose authority it does not know', async () => {
    const reading = read('SELECT 1', '?tls=true', undefined, await makeTestAuthority());
    expect(await messageOf(reading)).to.match(/certificate/);
  });

  it('sets variables of the session', async () => {
    const query = "SELECT @@session.time_zone = '+05:00'";
    expect(await read(query, '?time_zone=%27%2B05%3A00%27')).to.include({ value: 1 });
  });

  it('gives up a query with its caller', async () => {
    const gauge = await open('SELECT SLEEP(600)');
    const caller = new AbortController();
    const reading = gauge.read(caller.signal, '');
    caller.abort(new Error('too late'));
    expect(await messageOf(reading)).to.equal('too late');
  });

  it('gives up a query after readTimeout', async () => {
    expect(await messageOf(read('SELECT SLEEP(600)', '?readTimeout=100ms'))).to.match(/timeout/i);
  });

  it('tells when the server has gone, and reads again once opened anew', async () => {
    const gauge = await open('SELECT 4');
    await server.run('KILL USER app');
    expect(await messageOf(ask(gauge))).to.match(/^MySQL at localhost:/);
    expect(await read('SELECT 4')).to.include({ value: 4 });
  });
});
