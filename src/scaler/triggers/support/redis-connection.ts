/** Connections to Redis, by the package `ioredis`. */
import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis';
import type { TriggerTools } from '../../trigger.ts';
import {
  addressesOf,
  type RedisAddress,
  type RedisValues,
  redisTls,
  type Topology,
} from './redis-parameters.ts';
import { CONNECT_TIMEOUT_MS, openSource, type Source } from './source.ts';

/** What triggers ask of Redis; replies are those of protocol version 2. */
export interface RedisConnection {
  /** Sends a command; one about a key goes to the node that has it. */
  call(command: string, ...args: readonly string[]): Promise<unknown>;
  /** Runs a script with one key. */
  evaluate(script: string, key: string): Promise<unknown>;
  /** Ends it at once, whatever is under way. */
  close(): void;
}

type Client = Redis | Cluster;

/** Whoever asks builds a failed connection anew, so that the driver itself never tries again. */
const NEVER = () => null;

/** Who is asked by these values. */
export function describeRedis(values: RedisValues): Source {
  const addresses = addressesOf(values).map(({ host, port }) => `${host}:${port}`);
  return {
    label: `Redis at ${addresses.join(', ')}`,
    secrets: [values.password, values.sentinelPassword, values.keyPassword, values.key],
  };
}

/** Connects and asks for a PING. */
export async function openRedis(
  topology: Topology,
  values: RedisValues,
  { tls }: Pick<TriggerTools, 'tls'>,
): Promise<RedisConnection> {
  const { default: driver } = await import('ioredis');
  const material = redisTls(values);
  const options = { ...commonOptions(values), ...(material && { tls: tls(material) }) };
  const single = (route: RedisOptions) =>
    new driver.Redis({ ...options, ...route } as Omit<RedisOptions, 'replyMapping'>);
  const addresses = addressesOf(values);
  if (topology === 'cluster') {
    await requireOneOf(addresses, single, values);
    return connect(new driver.Cluster([...addresses], clusterOptions(options)), values);
  }
  const isSingle = topology === 'standalone';
  const route = isSingle ? { ...addresses[0] } : sentinelRoute(values, options);
  return connect(single(route), values);
}

async function connect(client: Client, values: RedisValues): Promise<RedisConnection> {
  const work = () => firstError(client, () => client.connect().then(() => client.ping()));
  try {
    await openSource(describeRedis(values), work, () => client.disconnect());
  } catch (error) {
    client.disconnect();
    throw error;
  }
  return connectionOf(client);
}

/** A cluster that lets nobody in does not say why; a node does. */
async function requireOneOf(
  addresses: readonly RedisAddress[],
  single: (route: RedisOptions) => Redis,
  values: RedisValues,
): Promise<void> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      const node = await connect(single({ ...address, db: 0 }), values);
      node.close();
      return;
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

function connectionOf(client: Client): RedisConnection {
  return {
    call: (command, ...args) => client.call(command, ...args),
    evaluate: (script, key) => client.eval(script, 1, key),
    close: () => client.disconnect(),
  };
}

function commonOptions({ username, password, databaseIndex }: RedisValues) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    db: databaseIndex,
    connectionName: 'tsprov-scaler',
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    protocol: 2,
    lazyConnect: true,
    retryStrategy: NEVER,
  } satisfies RedisOptions;
}

function clusterOptions({
  db: _,
  retryStrategy: __,
  ...redisOptions
}: ReturnType<typeof commonOptions>) {
  return {
    redisOptions,
    lazyConnect: true,
    clusterRetryStrategy: NEVER,
    // Certificates are made for names: these are kept until the socket resolves them.
    dnsLookup: (address, callback) => callback(null, address),
  } satisfies ClusterOptions;
}

function sentinelRoute(values: RedisValues, { tls }: Pick<RedisOptions, 'tls'>): RedisOptions {
  const { sentinelMaster, sentinelUsername, sentinelPassword } = values;
  return {
    sentinels: [...addressesOf(values)],
    ...(sentinelMaster !== undefined && { name: sentinelMaster }),
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: NEVER,
    failoverDetector: true,
  };
}

/** A connection that ends says so to whoever waits, and why only in an event. */
async function firstError<T>(client: Client, work: () => Promise<T>): Promise<T> {
  let first: unknown;
  const note = (error: Error) => {
    first ??= error;
  };
  // Without a listener, errors between two polls would be written to the console; the next command tells.
  client.on('error', note);
  try {
    return await work();
  } catch (error) {
    throw first ?? error;
  }
}
