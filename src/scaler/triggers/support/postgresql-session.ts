/** Sessions of PostgreSQL, by the package `pg`. */
import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import type { Client, ClientConfig } from 'pg';
import type { TriggerTools } from '../../trigger.ts';
import type { PostgresqlAddress, SslMode } from './postgresql-dsn.ts';
import { CONNECT_TIMEOUT_MS } from './source.ts';

type Ssl = ConnectionOptions | false;
type Rows = (string | null)[][];

/** One connection, logged in. */
export interface PostgresqlSession {
  /** One statement; cells as text. */
  query(sql: string): Promise<Rows>;
  /** Ends it at once, whatever is under way. */
  close(): Promise<void>;
}

/** Codes of answers that another host or way of connecting would not change. */
const FINAL = new Set(['28P01', '28000', '3D000', '42501']);

/** Tries each host, and each way that `sslmode` allows, until one lets us in. */
export async function openPostgresqlSession(
  address: PostgresqlAddress,
  tools: Pick<TriggerTools, 'tls'>,
): Promise<PostgresqlSession> {
  const { default: pg } = await import('pg');
  const ways = await waysOf(address, tools);
  const attempts = address.hosts.flatMap((host) => ways.map((ssl) => ({ ...host, ssl })));
  let failure: unknown;
  for (const attempt of attempts) {
    const client = new pg.Client(configOf(address, attempt));
    // Without a listener, a connection that dies between two polls would end the process; the next query tells.
    client.on('error', () => {});
    try {
      await client.connect();
      return sessionOf(client);
    } catch (error) {
      await end(client);
      failure = error;
      if (FINAL.has((error as { code?: string }).code ?? '')) break;
    }
  }
  throw failure;
}

function configOf(
  address: PostgresqlAddress,
  { host, port, ssl }: { readonly host: string; readonly port: number; readonly ssl: Ssl },
): ClientConfig {
  const isSocket = host.startsWith('/');
  return {
    host,
    port,
    ssl: isSocket ? false : ssl,
    user: address.user,
    password: address.password ?? '',
    ...(address.database !== undefined && { database: address.database }),
    application_name: address.applicationName ?? 'tsprov-scaler',
    options: renderSettings(address.settings),
    connectionTimeoutMillis: address.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  };
}

function sessionOf(client: Client): PostgresqlSession {
  return {
    async query(sql) {
      const types = { getTypeParser: () => (cell: string) => cell };
      const query = { text: sql, rowMode: 'array', queryMode: 'extended', types } as const;
      return (await client.query<(string | null)[]>(query)).rows;
    },
    close: () => end(client),
  };
}

async function end(client: Client): Promise<void> {
  await client.end().catch(() => {}); // It is gone already.
}

/** How to connect by each mode, in order. `require` with an authority checks it, as libpq does. */
async function waysOf(
  { sslMode, sslFiles }: PostgresqlAddress,
  { tls }: Pick<TriggerTools, 'tls'>,
): Promise<readonly Ssl[]> {
  const read = (path: string | undefined) => (path === undefined ? path : readFile(path, 'utf8'));
  const [ca, cert, key] = await Promise.all([sslFiles.ca, sslFiles.cert, sslFiles.key].map(read));
  const checked = { ...tls({ ca, cert, key }) };
  const anyName: Ssl = { ...checked, checkServerIdentity: () => undefined };
  const unchecked: Ssl = { ...tls({ ca, cert, key, isUnsafe: true }), rejectUnauthorized: false };
  const ways: Readonly<Record<SslMode, readonly Ssl[]>> = {
    disable: [false],
    allow: [false, unchecked],
    prefer: [unchecked, false],
    require: [ca === undefined ? unchecked : anyName],
    'verify-ca': [anyName],
    'verify-full': [checked],
  };
  return ways[sslMode];
}

function renderSettings(settings: Readonly<Record<string, string>>): string {
  const { options = '', ...others } = settings;
  const words = Object.entries(others).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, '\\$&')}`,
  );
  return [options, ...words].join(' ').trim();
}
