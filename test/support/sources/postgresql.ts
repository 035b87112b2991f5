import pg from 'pg';
import { freePort } from '../free-port.ts';
import type { TestAuthority } from '../scaler/certificates.ts';
import { makeServerDirectory, type RunningServer, runAsOwner, startServer } from './server.ts';

export const POSTGRESQL_BIN = '/usr/lib/postgresql/15/bin';

export interface PostgresqlServer extends RunningServer {
  readonly port: number;
  /** Statements of the superuser. */
  run(sql: string): Promise<void>;
}

/** A server with the user `app` (password `p4ss word`), who logs in by password over TCP, and the database `shop`. */
export async function startPostgresql({ server }: TestAuthority): Promise<PostgresqlServer> {
  const directory = await makeServerDirectory('postgresql', 'postgres');
  const port = await freePort();
  const data = `${directory.path}/data`;
  const initdb = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8'];
  await runAsOwner(directory, `${POSTGRESQL_BIN}/initdb`, initdb);
  const cert = await directory.write('server.crt', server.cert);
  const key = await directory.write('server.key', server.key);
  const hba = await directory.write('hba.conf', HBA);
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1,127.0.0.3',
    unix_socket_directories: directory.path,
    hba_file: hba,
    fsync: 'off',
    ssl: 'on',
    ssl_cert_file: cert,
    ssl_key_file: key,
  };
  const run = (sql: string) => runSql(directory.path, port, sql);
  const running = await startServer(directory, {
    file: `${POSTGRESQL_BIN}/postgres`,
    args: [
      '-D',
      data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    probe: () => run('SELECT 1'),
  });
  await run("CREATE USER app PASSWORD 'p4ss word'");
  await run('CREATE DATABASE shop OWNER app');
  return {
    port,
    run,
    async stop() {
      await running.stop();
      await directory.remove();
    },
  };
}

/** `guarded` gets in by TLS alone. */
const HBA = `
local   all postgres trust
hostnossl all guarded 127.0.0.1/32 reject
host    all all 127.0.0.0/8 scram-sha-256
`;

async function runSql(host: string, port: number, sql: string): Promise<void> {
  const client = new pg.Client({ host, port, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
