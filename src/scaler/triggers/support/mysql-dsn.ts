/** Connection strings of MySQL in the form of Go's driver: `[user[:password]@][net[(address)]]/database[?name=value&…]`. */
import { parseDuration } from '../../../shared/duration.ts';

/** `preferred`: encrypted where the server can, unchecked. */
export type MysqlTls = 'false' | 'true' | 'skip-verify' | 'preferred';

/** Where and how to log in. */
export interface MysqlAddress {
  /** A host and port, or the path of a socket. */
  readonly endpoint: { readonly host: string; readonly port: number } | { readonly path: string };
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: MysqlTls;
  readonly connectTimeoutMs?: number | undefined;
  readonly readTimeoutMs?: number | undefined;
  readonly allowsCleartext: boolean;
  /** System variables of the session, their values as SQL. */
  readonly variables: Readonly<Record<string, string>>;
}

const TLS_MODES: readonly MysqlTls[] = ['false', 'true', 'skip-verify', 'preferred'];

/** Parameters of Go's driver that say how Go shows values or keeps connections: a single number is the same under each. */
const WITHOUT_BEARING = new Set(
  `allowAllFiles allowFallbackToPlaintext allowNativePasswords allowOldPasswords charset checkConnLiveness
   clientFoundRows collation columnsWithAlias compress connectionAttributes interpolateParams loc maxAllowedPacket
   multiStatements parseTime rejectReadOnly serverPubKey timeTruncate writeTimeout`.split(/\s+/),
);
const KNOWN = new Set(['tls', 'timeout', 'readTimeout', 'allowCleartextPasswords']);

/** @throws {RangeError} that says what is wrong without quoting the text, which may hold a password. */
export function parseMysqlDsn(text: string): MysqlAddress {
  const slash = text.lastIndexOf('/');
  if (slash < 0) throw new RangeError('has no /: write user:password@tcp(host:port)/database');
  const [database = '', query = ''] = text.slice(slash + 1).split(/\?(.*)/s);
  const given = Object.fromEntries(new URLSearchParams(query));
  return {
    ...parseLogin(text.slice(0, slash)),
    database: decodeURIComponent(database),
    tls: parseTls(given['tls'] ?? 'false'),
    connectTimeoutMs: millisecondsOf('timeout', given),
    readTimeoutMs: millisecondsOf('readTimeout', given),
    allowsCleartext: given['allowCleartextPasswords'] === 'true',
    variables: variablesOf(given),
  };
}

function parseLogin(text: string): Pick<MysqlAddress, 'endpoint' | 'user' | 'password'> {
  const at = text.lastIndexOf('@');
  const [, user = '', password = ''] =
    /^([^:]*)(?::(.*))?$/s.exec(text.slice(0, Math.max(at, 0))) ?? [];
  return { user, password, endpoint: parseEndpoint(text.slice(at + 1)) };
}

/** `tcp(host:port)`, `unix(/path)`; the address of Go's driver is 127.0.0.1:3306 where none is given. */
function parseEndpoint(text: string): MysqlAddress['endpoint'] {
  const [, network = 'tcp', address = ''] = /^([^(]*)(?:\((.*)\))?$/.exec(text) ?? refuse();
  if (network === 'unix') return { path: address };
  if (network !== '' && network !== 'tcp') {
    throw new RangeError(`names the network ${network}: only tcp and unix are supported`);
  }
  if (address === '') return { host: '127.0.0.1', port: 3306 };
  const [, bracketed, plain, port = '3306'] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(address) ?? refuse();
  return { host: bracketed ?? plain ?? '', port: Number(port) };
}

function refuse(): never {
  throw new RangeError('has an address that cannot be read: write tcp(host:port)');
}

function parseTls(text: string): MysqlTls {
  const mode = TLS_MODES.find((candidate) => candidate === text.toLowerCase());
  if (mode === undefined) throw new RangeError(`has tls=${text}: give ${TLS_MODES.join(', ')}`);
  return mode;
}

function millisecondsOf(name: string, given: Readonly<Record<string, string>>): number | undefined {
  const text = given[name];
  if (text === undefined) return undefined;
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) {
    throw new RangeError(`has ${name}=${text}: give a duration, such as 5s`);
  }
  return milliseconds;
}

function variablesOf(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const variables = Object.entries(given).filter(
    ([name]) => !KNOWN.has(name) && !WITHOUT_BEARING.has(name),
  );
  const wrong = variables.find(([name]) => !/^[\w.@]+$/.test(name));
  if (wrong !== undefined)
    throw new RangeError(`has the parameter ${wrong[0]}, no system variable`);
  return Object.fromEntries(variables);
}
