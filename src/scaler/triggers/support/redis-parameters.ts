/** What all triggers of Redis are told about the way to their servers. */
import {
  boolean,
  choice,
  integer,
  list,
  optional,
  secret,
  type TlsMaterial,
  text,
  type ValuesOf,
} from '../../trigger.ts';
import { parsePort } from './port.ts';

/** One server, the nodes of a cluster, or sentinels that know who is the master. */
export type Topology = 'standalone' | 'cluster' | 'sentinel';

const ADDRESS = { from: ['metadata', 'authentication', 'environment'] } as const;
const LOGIN = { from: ['metadata', 'environment', 'authentication'] } as const;

const common = {
  address: optional(
    list('Servers as host:port; where there is one server, the first.', {
      ...ADDRESS,
      mayNameVariable: true,
      aliases: ['addresses'],
    }),
  ),
  host: optional(list('Hosts, one for each port.', { ...LOGIN, aliases: ['hosts'] })),
  port: optional(list('Ports, one for each host.', { ...LOGIN, aliases: ['ports'] })),
  username: optional(text('User of the access control list.', LOGIN)),
  password: optional(secret('Password of the user, or of the server.', LOGIN)),
  enableTLS: optional(boolean('Connect by TLS; else the authentication may say tls.')),
  tls: optional(choice(['enable', 'disable'], 'Connect by TLS.', { from: ['authentication'] })),
  unsafeSsl: boolean('Accept any certificate of the server.', { default: false }),
  ca: optional(text('Authority of the server, as PEM.', { from: ['authentication'] })),
  cert: optional(
    text('Certificate of the client, as PEM.', { from: ['authentication'], aliases: ['Cert'] }),
  ),
  key: optional(secret('Key of the client, as PEM.')),
  keyPassword: optional(secret('Password of the key.')),
};
const databaseIndex = integer('Number of the database.', { default: 0 });

const sentinel = {
  sentinelMaster: optional(text('Name under which the sentinels know the master.', ADDRESS)),
  sentinelUsername: optional(text('User of the sentinels.', ADDRESS)),
  sentinelPassword: optional(secret('Password of the sentinels.', ADDRESS)),
};

export const standaloneParameters = { ...common, databaseIndex };
export const sentinelParameters = { ...common, databaseIndex, ...sentinel };
export const clusterParameters = {
  ...common,
  databaseIndex: {
    ...databaseIndex,
    description: 'Without effect.',
    deprecated: 'leave it out, a cluster has only database 0',
  },
};

/** Values of any of the three; those of sentinels only there. */
export type RedisValues = ValuesOf<typeof standaloneParameters> &
  Partial<ValuesOf<typeof sentinel>>;

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** What of the way to the servers does not go together. */
export function checkRedis(values: RedisValues): readonly string[] {
  const isTwice = values.enableTLS !== undefined && values.tls !== undefined;
  return [
    ...(isTwice ? ['enableTLS and tls are both given: keep one'] : []),
    ...checkPresence(values),
  ];
}

function checkPresence(values: RedisValues): readonly string[] {
  const { address = [], host = [], port = [] } = values;
  if (address.length === 0 && host.length !== port.length) {
    return [`${host.length} host and ${port.length} port are given: give a port for each host`];
  }
  const isNone = textsOf(values).length === 0;
  return isNone ? ['address is missing: give host:port, or host and port'] : [];
}

/** What servers cannot be asked with. */
export function checkServers(topology: Topology, values: RedisValues): readonly string[] {
  return [
    ...(topology === 'sentinel' && values.sentinelMaster === undefined
      ? ['sentinelMaster is missing: give the name under which the sentinels know the master']
      : []),
    ...(values.databaseIndex < 0 ? ['databaseIndex must be at least 0'] : []),
    ...checkAddresses(values),
  ];
}

function checkAddresses(values: RedisValues): readonly string[] {
  if (checkPresence(values).length > 0) return [];
  try {
    addressesOf(values);
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [error.message];
  }
}

/** @throws {RangeError} where one is no address. */
export function addressesOf(values: RedisValues): readonly RedisAddress[] {
  return textsOf(values).map(parseAddress);
}

/** Hosts and ports that do not match count for nothing beside an address. */
function textsOf({ address = [], host = [], port = [] }: RedisValues): readonly string[] {
  if (host.length !== port.length) return address.filter((text) => text !== '');
  const paired = host.map((name, index) => `${name}:${port[index] ?? ''}`);
  return [...address, ...paired].filter((text) => text !== '');
}

/** Without a host, that of the operator. */
function parseAddress(text: string): RedisAddress {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^[\]]*)):([^:]*)$/.exec(text) ?? [];
  const host = bracketed ?? (plain === '' ? 'localhost' : plain);
  if (host === undefined || port === undefined) {
    throw new RangeError(`address must be host:port and not "${text}"`);
  }
  try {
    return { host, port: parsePort(port) };
  } catch (error) {
    throw new RangeError(`address ${text} ${(error as Error).message}`);
  }
}

/** The material of TLS connections, or undefined for connections in clear. */
export function redisTls(values: RedisValues): TlsMaterial | undefined {
  if (values.enableTLS !== true && values.tls !== 'enable') return undefined;
  const { ca, cert, key, keyPassword, unsafeSsl } = values;
  return { ca, cert, key, keyPassword, isUnsafe: unsafeSsl };
}
