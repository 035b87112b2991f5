import { createConnection } from 'mysql2/promise';
import { freePort } from '../free-port.ts';
import type { TestAuthority } from '../scaler/certificates.ts';
import { makeServerDirectory, type RunningServer, runAsOwner, startServer } from './server.ts';

export interface MariadbServer extends RunningServer {
  readonly port: number;
  readonly socket: string;
  /** Statements of the superuser. */
  run(sql: string): Promise<void>;
}

/** A server with the user `app` (password `p4ss/word`) and the database `shop`. */
export async function startMariadb({ ca, server }: TestAuthority): Promise<MariadbServer> {
  const directory = await makeServerDirectory('mariadb', 'mysql');
  const port = await freePort();
  const socket = `${directory.path}/socket`;
  const data = `${directory.path}/data`;
  const common = ['--no-defaults', `--datadir=${data}`];
  const install = [...common, '--auth-root-authentication-method=normal', '--skip-test-db'];
  await runAsOwner(directory, 'mariadb-install-db', install);
  const certificates = [
    `--ssl-ca=${await directory.write('ca.pem', ca)}`,
    `--ssl-cert=${await directory.write('server.pem', server.cert)}`,
    `--ssl-key=${await directory.write('server.key', server.key)}`,
  ];
  const run = (sql: string) => runSql(socket, sql);
  const running = await startServer(directory, {
    file: '/usr/sbin/mariadbd',
    args: [
      ...common,
      ...certificates,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${socket}`,
      `--pid-file=${directory.path}/pid`,
      '--skip-log-bin',
      '--innodb-flush-log-at-trx-commit=0',
    ],
    probe: () => run('SELECT 1'),
  });
  await run('CREATE DATABASE shop');
  await run("CREATE USER app IDENTIFIED BY 'p4ss/word'");
  await run('GRANT ALL ON shop.* TO app');
  return {
    port,
    socket,
    run,
    async stop() {
      await running.stop();
      await directory.remove();
    },
  };
}

async function runSql(socketPath: string, sql: string): Promise<void> {
  const connection = await createConnection({ socketPath, user: 'root' });
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}
