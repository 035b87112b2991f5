import { defineTrigger, number, optional, secret, text, type ValuesOf } from '../trigger.ts';
import { refuseIdentity } from './support/pod-identity.ts';
import { parsePort } from './support/port.ts';
import {
  type PostgresqlAddress,
  parsePostgresqlDsn,
  parseSslMode,
} from './support/postgresql-dsn.ts';
import { openPostgresqlSession } from './support/postgresql-session.ts';
import { askSource } from './support/source.ts';
import { readSqlNumber } from './support/sql-number.ts';
import { checkSign, requireTarget } from './support/target.ts';

const PART = { from: ['authentication', 'metadata'] } as const;

const parameters = {
  query: text('SQL whose first row starts with the number to scale on.'),
  targetQueryValue: optional(number('What one replica should carry.')),
  activationTargetQueryValue: number('Stay at zero up to this many.', { default: 0 }),
  connection: optional(
    secret('Whole connection string, a URL or key=value pairs; else the parts below are used.', {
      from: ['authentication', 'environment'],
    }),
  ),
  host: optional(text('Host name or address of the server.', PART)),
  port: optional(text('Port of the server.', PART)),
  userName: optional(text('User who asks.', PART)),
  dbName: optional(text('Database to ask.', PART)),
  sslmode: optional(text('TLS: disable, allow, prefer, require, verify-ca or verify-full.', PART)),
  password: optional(
    secret('Password of the user, where the connection string has none.', {
      from: ['authentication', 'environment'],
    }),
  ),
};
type Values = ValuesOf<typeof parameters>;

export const postgresql = defineTrigger({
  type: 'postgresql',
  summary: 'Scales on a number that a query of PostgreSQL gives.',
  parameters,

  check: (values, context) => [
    ...requireTarget('targetQueryValue', values.targetQueryValue, context),
    ...checkParts(values),
    ...refuseIdentity('give password, or connection', context),
  ],
  checkSource: (values, context) => [
    ...checkSign('targetQueryValue', values.targetQueryValue, context),
    ...checkAddress(values),
  ],

  metric: ({ targetQueryValue = 0 }) => ({
    kind: 'external',
    name: 'postgresql',
    target: targetQueryValue,
  }),

  async open(values, tools) {
    const address = addressOf(values);
    const hosts = address.hosts.map(({ host, port }) => `${host}:${port}`);
    const source = {
      label: `PostgreSQL at ${hosts.join(', ')}`,
      secrets: [values.connection, address.password],
    };
    const session = await askSource(source, () => openPostgresqlSession(address, tools));
    const end = () => void session.close();

    return {
      async read(signal) {
        const ask = async () => readSqlNumber(await session.query(values.query));
        const value = await askSource(source, ask, signal, end);
        return { value, isActive: value > values.activationTargetQueryValue };
      },
      close: () => session.close(),
    };
  },
});

function checkParts(values: Values): readonly string[] {
  const missing = (['host', 'port', 'userName', 'dbName', 'sslmode'] as const).filter(
    (name) => values[name] === undefined,
  );
  if (values.connection !== undefined) return [];
  return missing.map((name) => `${name} is missing: give it, or connection in its place`);
}

function checkAddress(values: Values): readonly string[] {
  if (checkParts(values).length > 0) return [];
  try {
    addressOf(values);
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [`${values.connection === undefined ? 'the address' : 'connection'} ${error.message}`];
  }
}

function addressOf(values: Values): PostgresqlAddress {
  const {
    connection,
    password,
    host = '',
    port = '',
    userName = '',
    dbName,
    sslmode = '',
  } = values;
  if (connection !== undefined) {
    const address = parsePostgresqlDsn(connection);
    return { ...address, password: address.password ?? password };
  }
  return {
    hosts: [{ host, port: parsePort(port) }],
    user: userName,
    password,
    database: dbName,
    sslMode: parseSslMode(sslmode),
    sslFiles: {},
    settings: {},
  };
}
