/** Sessions of MySQL and MariaDB, by the package `mysql2`. */
import type { Connection, ConnectionOptions, RowDataPacket, SslOptions } from 'mysql2/promise';
import type { TriggerTools } from '../../trigger.ts';
import type { MysqlAddress } from './mysql-dsn.ts';
import { CONNECT_TIMEOUT_MS } from './source.ts';

/** One connection, logged in. */
export interface MysqlSession {
  /** One statement; cells as text. */
  query(sql: string): Promise<readonly (readonly (string | null)[])[]>;
  /** Ends it at once, whatever is under way. */
  close(): void;
}

export async function openMysqlSession(
  address: MysqlAddress,
  { tls }: Pick<TriggerTools, 'tls'>,
): Promise<MysqlSession> {
  const unchecked = { ...tls({ isUnsafe: true }), rejectUnauthorized: false };
  if (address.tls === 'false') return connect(address, undefined);
  if (address.tls === 'true') return connect(address, { ...tls({}), verifyIdentity: true });
  try {
    return await connect(address, unchecked);
  } catch (error) {
    const isPlain = (error as { code?: string }).code === 'HANDSHAKE_NO_SSL_SUPPORT';
    if (address.tls !== 'preferred' || !isPlain) throw error;
    return await connect(address, undefined);
  }
}

async function connect(address: MysqlAddress, ssl: object | undefined): Promise<MysqlSession> {
  const { default: mysql } = await import('mysql2/promise');
  const { endpoint, user, password, database, allowsCleartext } = address;
  const options: ConnectionOptions = {
    ...('path' in endpoint ? { socketPath: endpoint.path } : endpoint),
    user,
    password,
    database,
    connectTimeout: address.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    enableCleartextPlugin: allowsCleartext,
    ...(ssl !== undefined && { ssl: ssl as SslOptions }),
  };
  const connection = await mysql.createConnection(options);
  // Without a listener, a connection that dies between two polls would end the process; the next query tells.
  connection.on('error', () => {});
  await setVariables(connection, address.variables);
  return sessionOf(connection, address.readTimeoutMs);
}

function sessionOf(connection: Connection, timeout: number | undefined): MysqlSession {
  return {
    async query(sql) {
      const [rows] = await connection.query<RowDataPacket[][]>({
        sql,
        rowsAsArray: true,
        typeCast: (field) => field.string(),
        ...(timeout !== undefined && { timeout }),
      });
      if (!Array.isArray(rows)) throw new Error('the query gives no rows: it must be a SELECT');
      return rows as unknown as (string | null)[][];
    },
    close: () => connection.destroy(),
  };
}

async function setVariables(
  connection: Connection,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const assignments = Object.entries(variables).map(([name, sql]) => `${name} = ${sql}`);
  if (assignments.length > 0) await connection.query(`SET ${assignments.join(', ')}`);
}
