import { defineTrigger, number, optional, secret, text, type ValuesOf } from '../trigger.ts';
import { type MysqlAddress, parseMysqlDsn } from './support/mysql-dsn.ts';
import { openMysqlSession } from './support/mysql-session.ts';
import { parsePort } from './support/port.ts';
import { askSource } from './support/source.ts';
import { readSqlNumber } from './support/sql-number.ts';
import { checkTarget } from './support/target.ts';

const PART = { from: ['metadata', 'authentication'] } as const;

const parameters = {
  query: text('SQL whose first row starts with the number to scale on.'),
  queryValue: number('What one replica should carry.'),
  activationQueryValue: number('Stay at zero up to this many.', { default: 0 }),
  connectionString: optional(
    secret('Whole DSN, as user:password@tcp(host:port)/database; wins over the parts below.', {
      from: ['authentication', 'environment'],
    }),
  ),
  username: optional(
    text('User who asks.', { from: ['metadata', 'authentication', 'environment'] }),
  ),
  password: optional(secret('Password of the user.', { from: ['authentication', 'environment'] })),
  host: optional(text('Host name or address of the server.', PART)),
  port: optional(text('Port of the server.', PART)),
  dbName: optional(text('Database to ask; part of the name of the metric.', PART)),
  metricName: optional(
    text('Without effect.', { deprecated: 'leave it out, the metric is named after the database' }),
  ),
};
type Values = ValuesOf<typeof parameters>;

export const mysql = defineTrigger({
  type: 'mysql',
  summary: 'Scales on a number that a query of MySQL or MariaDB gives.',
  parameters,

  checkSource: (values, context) => [
    ...checkTarget('queryValue', values.queryValue, context),
    ...checkParts(values),
    ...checkAddress(values),
  ],

  metric: ({ connectionString, dbName = '', queryValue }) => ({
    kind: 'external',
    name: `mysql-${connectionString?.slice(connectionString.lastIndexOf('/') + 1) ?? dbName}`,
    target: queryValue,
  }),

  async open(values, tools) {
    const address = addressOf(values);
    const source = {
      label: `MySQL at ${renderEndpoint(address)}`,
      secrets: [values.connectionString, address.password],
    };
    const session = await askSource(source, () => openMysqlSession(address, tools));

    return {
      async read(signal) {
        const ask = async () => readSqlNumber(await session.query(values.query));
        const value = await askSource(source, ask, signal, () => session.close());
        return { value, isActive: value > values.activationQueryValue };
      },
      close: async () => session.close(),
    };
  },
});

function checkParts(values: Values): readonly string[] {
  const missing = (['host', 'port', 'username', 'dbName'] as const).filter(
    (name) => values[name] === undefined,
  );
  if (values.connectionString !== undefined) return [];
  return missing.map((name) => `${name} is missing: give it, or connectionString in its place`);
}

function checkAddress(values: Values): readonly string[] {
  if (checkParts(values).length > 0) return [];
  try {
    addressOf(values);
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const name = values.connectionString === undefined ? 'the address' : 'connectionString';
    return [`${name} ${error.message}`];
  }
}

function addressOf(values: Values): MysqlAddress {
  const {
    connectionString,
    username = '',
    password = '',
    host = '',
    port = '',
    dbName = '',
  } = values;
  if (connectionString !== undefined) return parseMysqlDsn(connectionString);
  return {
    endpoint: { host, port: parsePort(port) },
    user: username,
    password,
    database: dbName,
    tls: 'false',
    allowsCleartext: false,
    variables: {},
  };
}

function renderEndpoint({ endpoint }: MysqlAddress): string {
  return 'path' in endpoint ? endpoint.path : `${endpoint.host}:${endpoint.port}`;
}
