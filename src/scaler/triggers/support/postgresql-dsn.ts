/** Connection strings of PostgreSQL: URLs and `key=value` pairs, as libpq and pgx read them. */
import { parsePort } from './port.ts';

export const SSL_MODES = [
  'disable',
  'allow',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** Where and how to log in. */
export interface PostgresqlAddress {
  /** Tried in order. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  readonly password?: string | undefined;
  readonly database?: string | undefined;
  readonly sslMode: SslMode;
  /** Paths of PEM files on the operator's disk. */
  readonly sslFiles: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly connectTimeoutMs?: number | undefined;
  readonly applicationName?: string | undefined;
  /** Settings of the session, as `postgres -c` takes them. */
  readonly settings: Readonly<Record<string, string>>;
}

const DEFAULT_PORT = '5432';
const KNOWN = new Set(
  `host hostaddr port user password dbname database sslmode sslrootcert sslcert sslkey connect_timeout
   application_name target_session_attrs`.split(/\s+/),
);

/** @throws {RangeError} that says what is wrong without quoting the text, which may hold a password. */
export function parsePostgresqlDsn(text: string): PostgresqlAddress {
  const pairs = /^postgres(?:ql)?:\/\//.test(text) ? pairsOfUrl(text) : pairsOfWords(text);
  const { target_session_attrs: attributes = 'any' } = pairs;
  if (attributes !== 'any') {
    throw new RangeError('has target_session_attrs, which is not supported yet: leave it out');
  }
  return {
    hosts: hostsOf(pairs['host'] ?? pairs['hostaddr'] ?? lacking('host'), pairs['port']),
    user: pairs['user'] ?? lacking('user'),
    password: pairs['password'],
    database: pairs['dbname'] ?? pairs['database'],
    sslMode: parseSslMode(pairs['sslmode'] ?? 'prefer'),
    sslFiles: sslFilesOf(pairs),
    connectTimeoutMs: secondsOf(pairs['connect_timeout']),
    applicationName: pairs['application_name'],
    settings: Object.fromEntries(Object.entries(pairs).filter(([key]) => !KNOWN.has(key))),
  };
}

/** @throws {RangeError} */
export function parseSslMode(text: string): SslMode {
  const mode = SSL_MODES.find((candidate) => candidate === text);
  if (mode === undefined) throw new RangeError(`has sslmode ${text}: give ${SSL_MODES.join(', ')}`);
  return mode;
}

type Pairs = Readonly<Record<string, string>>;

function pairsOfUrl(text: string): Pairs {
  const [, authority = '', path = '', query = ''] =
    /^\w+:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?/.exec(text) ?? [];
  const at = authority.lastIndexOf('@');
  const [, user, password] = /^([^:]*)(?::(.*))?$/s.exec(authority.slice(0, Math.max(at, 0))) ?? [];
  const addresses = splitAddresses(authority.slice(at + 1));
  const given = {
    host: addresses.map(({ host }) => host).join(','),
    port: addresses.map(({ port }) => port).join(','),
    user: decode(user),
    password: decode(password),
    dbname: decode(path),
    ...Object.fromEntries(new URLSearchParams(query)),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

/** `host:port,[::1]:port`. */
function splitAddresses(text: string): readonly { host: string; port: string }[] {
  if (text === '') return [];
  return text.split(',').map((address) => {
    const [, bracketed, plain = '', port = DEFAULT_PORT] =
      /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(address) ?? [];
    return { host: bracketed ?? decode(plain), port: port || DEFAULT_PORT };
  });
}

function decode(text = ''): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError('has a % that escapes nothing: write %25 for the sign itself');
  }
}

/** `key = value`, a value with blanks in single quotes; a backslash takes the next character as it is. */
const PAIR =
  /\s*([^\s=]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'(?=\s|$)|((?:[^\s'\\]|\\.)(?:[^\s\\]|\\.)*|))\s*/sy;

function pairsOfWords(text: string): Pairs {
  const pairs: Record<string, string> = {};
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < text.length) {
    const [, key, quoted, plain = ''] = PAIR.exec(text) ?? [];
    if (key === undefined) {
      throw new RangeError('must be a postgresql:// URL, or key=value pairs with blanks between');
    }
    const value = (quoted ?? plain).replaceAll(/\\(.)/gs, '$1');
    if (value !== '') pairs[key] = value;
  }
  return pairs;
}

function hostsOf(hosts: string, ports = DEFAULT_PORT): PostgresqlAddress['hosts'] {
  const portList = ports.split(',');
  const hostList = hosts.split(',');
  if (portList.length > 1 && portList.length !== hostList.length) {
    throw new RangeError(
      'has another number of ports than of hosts: give one port, or one for each',
    );
  }
  return hostList.map((host, index) => ({
    host,
    port: parsePort((portList.length > 1 ? portList[index] : portList[0]) || DEFAULT_PORT),
  }));
}

function sslFilesOf({ sslrootcert, sslcert, sslkey }: Pairs): PostgresqlAddress['sslFiles'] {
  return {
    ...(sslrootcert !== undefined && { ca: sslrootcert }),
    ...(sslcert !== undefined && { cert: sslcert }),
    ...(sslkey !== undefined && { key: sslkey }),
  };
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text))
    throw new RangeError('has a connect_timeout that is no number of seconds');
  return Number(text) === 0 ? undefined : Number(text) * 1000;
}

function lacking(name: string): never {
  throw new RangeError(`names no ${name}: add it`);
}
