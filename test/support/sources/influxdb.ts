import { join } from 'node:path';
import { freePorts } from '../free-port.ts';
import { isReplayed } from '../recording.ts';
import { INFLUXDB } from '../releases/components.ts';
import { goBinaries } from '../releases/go-build.ts';
import { type AddressedServer, recordedServer } from './recorded.ts';
import { findProgram, makeServerDirectory, startServer } from './server.ts';

export interface InfluxServer extends AddressedServer {
  /** What its only user logs in with, as tokens of version 2 are given to version 1. */
  readonly token: string;
  /** Writes points in InfluxDB's line protocol to the database `shop`. */
  write(...lines: readonly string[]): Promise<void>;
}

/** Why it cannot run here. */
export function whyNoInflux(): string | undefined {
  const canStart = isReplayed || findProgram('go') !== undefined;
  return canStart ? undefined : 'InfluxDB is built with Go: https://go.dev/dl';
}

const USER = { u: 'scaler', p: 'hunter2' };

/** InfluxDB 1.8, built from its module, with Flux and the API of version 2; nobody gets in without the token. */
export async function startInflux(): Promise<InfluxServer> {
  const server = await recordedServer('influxdb', startProgram);
  return {
    url: server.url,
    token: `${USER.u}:${USER.p}`,
    write(...lines) {
      server.changed();
      return send(`${server.url}/write`, { db: 'shop', ...USER }, lines.join('\n'));
    },
    stop: () => server.stop(),
  };
}

async function startProgram(): Promise<AddressedServer> {
  const programs = await goBinaries(INFLUXDB);
  const directory = await makeServerDirectory('influxdb');
  const [http = 0, rpc = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${http}`;
  const config = await directory.write('influxdb.conf', configuration(directory.path, http, rpc));
  const query = (q: string, user: object = USER) => send(`${url}/query`, { q, ...user });
  const running = await startServer(directory, {
    file: join(programs, 'influxd'),
    args: ['run', '-config', config],
    async probe() {
      // Refused once there is a user, who then can do the rest.
      const create = `CREATE USER ${USER.u} WITH PASSWORD '${USER.p}' WITH ALL PRIVILEGES`;
      await query(create, {}).catch(() => undefined);
      await query('CREATE DATABASE shop');
    },
  });
  return { url, stop: () => running.stop().then(() => directory.remove()) };
}

function configuration(path: string, http: number, rpc: number): string {
  return `reporting-disabled = true
bind-address = "127.0.0.1:${rpc}"
[meta]
  dir = "${path}/meta"
[data]
  dir = "${path}/data"
  wal-dir = "${path}/wal"
[http]
  bind-address = "127.0.0.1:${http}"
  auth-enabled = true
  flux-enabled = true
`;
}

async function send(url: string, query: object, body = ''): Promise<void> {
  const parameters = new URLSearchParams(Object.entries(query));
  const answer = await fetch(`${url}?${parameters}`, { method: 'POST', body });
  const text = await answer.text();
  if (!answer.ok || text.includes('"error"')) throw new Error(`${url}: ${answer.status} ${text}`);
}
