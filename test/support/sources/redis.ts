import { Cluster, Redis } from 'ioredis';
import { freePort, freePorts } from '../free-port.ts';
import type { TestAuthority } from '../scaler/certificates.ts';
import {
  makeServerDirectory,
  type RunningServer,
  type ServerDirectory,
  startServer,
} from './server.ts';

export interface RedisServer extends RunningServer {
  /** Of the first server, or of the sentinels. */
  readonly addresses: readonly string[];
  /** Asks as a user who may do all. */
  readonly client: Redis | Cluster;
}

const COMMON = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];

/** One server without a password. */
export async function startRedis(...settings: readonly string[]): Promise<RedisServer> {
  const directory = await makeServerDirectory('redis', 'redis');
  const port = await freePort();
  const running = await startNode(directory, port, settings);
  const client = new Redis({ host: '127.0.0.1', port });
  return {
    addresses: [`127.0.0.1:${port}`],
    client,
    stop: () => stopAll(directory, client, [running]),
  };
}

/** A server for TLS alone, which asks for certificates of clients; user `app` may only read. */
export async function startSecureRedis({
  ca,
  server,
  client,
}: TestAuthority): Promise<RedisServer> {
  const directory = await makeServerDirectory('redis-tls', 'redis');
  const port = await freePort();
  const files = {
    'tls-ca-cert-file': await directory.write('ca.pem', ca),
    'tls-cert-file': await directory.write('server.pem', server.cert),
    'tls-key-file': await directory.write('server.key', server.key),
  };
  const acl = 'app on >hunter2 ~jobs* resetchannels -@all +@connection +@read +eval +info';
  const settings = [
    ...Object.entries(files).flatMap(([name, path]) => [`--${name}`, path]),
    ...['--tls-port', String(port), '--requirepass', 'admin-word', '--user', ...acl.split(' ')],
  ];
  const tls = { ca, ...client };
  const login = { host: '127.0.0.1', port, password: 'admin-word', tls };
  const running = await startServer(directory, {
    file: '/usr/bin/redis-server',
    args: ['--port', '0', ...COMMON, ...settings, '--dir', directory.path],
    probe: () => ping(new Redis({ ...login, lazyConnect: true, retryStrategy: () => null })),
  });
  const asking = new Redis(login);
  return {
    addresses: [`localhost:${port}`],
    client: asking,
    stop: () => stopAll(directory, asking, [running]),
  };
}

/** Three masters that share the slots. */
export async function startRedisCluster(): Promise<RedisServer> {
  const directory = await makeServerDirectory('redis-cluster', 'redis');
  const ports = await freePorts(3);
  const buses = await freePorts(3);
  const running = await Promise.all(
    ports.map((port, i) =>
      startNode(directory, port, [
        ...['--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${port}.conf`],
        ...['--cluster-port', String(buses[i]), '--cluster-node-timeout', '60000'],
      ]),
    ),
  );
  const nodes = ports.map((port) => new Redis({ host: '127.0.0.1', port }));
  await joinCluster(nodes, [ports[0], buses[0]].map(String));
  for (const node of nodes) node.disconnect();
  const client = new Cluster(ports.map((port) => ({ host: '127.0.0.1', port })));
  return {
    addresses: ports.map((port) => `127.0.0.1:${port}`),
    client,
    stop: () => stopAll(directory, client, running),
  };
}

/** A master with a password and one sentinel with another, which knows it as `main`. */
export async function startRedisSentinel(): Promise<RedisServer> {
  const directory = await makeServerDirectory('redis-sentinel', 'redis');
  const [port = 0, sentinelPort = 0] = await freePorts(2);
  const master = await startNode(directory, port, ['--requirepass', 'hunter2'], 'hunter2');
  const config = [
    `port ${sentinelPort}`,
    'bind 127.0.0.1',
    `dir ${directory.path}`,
    `sentinel monitor main 127.0.0.1 ${port} 1`,
    'sentinel auth-pass main hunter2',
    'requirepass guard-word',
  ];
  const file = await directory.write('sentinel.conf', `${config.join('\n')}\n`);
  const sentinel = await startServer(directory, {
    file: '/usr/bin/redis-sentinel',
    args: [file],
    probe: () => ping(clientOf(sentinelPort, 'guard-word')),
  });
  const client = new Redis({ host: '127.0.0.1', port, password: 'hunter2' });
  return {
    addresses: [`127.0.0.1:${sentinelPort}`],
    client,
    stop: () => stopAll(directory, client, [sentinel, master]),
  };
}

function startNode(
  directory: ServerDirectory,
  port: number,
  settings: readonly string[],
  password?: string,
): Promise<RunningServer> {
  return startServer(directory, {
    file: '/usr/bin/redis-server',
    args: ['--port', String(port), ...COMMON, '--dir', directory.path, ...settings],
    probe: () => ping(clientOf(port, password)),
  });
}

function clientOf(port: number, password: string | undefined): Redis {
  const login = { ...(password !== undefined && { password }) };
  return new Redis({
    host: '127.0.0.1',
    port,
    ...login,
    lazyConnect: true,
    retryStrategy: () => null,
  });
}

async function ping(client: Redis): Promise<void> {
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.disconnect();
  }
}

/**
 * Gives each node a third of the slots, lets all meet the first by its ports, and waits until every one calls the
 * cluster whole.
 */
async function joinCluster(nodes: readonly Redis[], first: readonly string[]): Promise<void> {
  const starts = [0, 5461, 10_923, 16_384];
  for (const [index, node] of nodes.entries()) {
    const [from = 0, next = 0] = starts.slice(index);
    await node.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(next - 1));
    await node.call('CLUSTER', 'MEET', '127.0.0.1', ...first);
  }
  const isWhole = async (node: Redis) =>
    String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok');
  while (!(await Promise.all(nodes.map(isWhole))).every(Boolean)) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function stopAll(
  directory: ServerDirectory,
  client: Redis | Cluster,
  servers: readonly RunningServer[],
): Promise<void> {
  client.disconnect();
  await Promise.all(servers.map((server) => server.stop()));
  await directory.remove();
}
