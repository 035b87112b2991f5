import { connect } from 'amqplib';
import { freePorts } from '../free-port.ts';
import type { TestAuthority } from '../scaler/certificates.ts';
import { makeServerDirectory, type RunningServer, runAsOwner, startServer } from './server.ts';

export interface RabbitmqServer extends RunningServer {
  readonly ports: { readonly amqp: number; readonly amqps: number; readonly http: number };
  /** Publishes so many messages into a queue of the virtual host, made where it is missing. */
  publish(vhost: string, queue: string, count: number): Promise<void>;
}

const LIB = '/usr/lib/rabbitmq/bin';

/** A server with its management plugin, user `app` (password `p4ss/word`) and the virtual hosts `/` and `my shop`. */
export async function startRabbitmq({ ca, server }: TestAuthority): Promise<RabbitmqServer> {
  const directory = await makeServerDirectory('rabbitmq', 'rabbitmq');
  const [amqp = 0, amqps = 0, http = 0, distribution = 0, epmd = 0] = await freePorts(5);
  const files = {
    ca: await directory.write('ca.pem', ca),
    server: await directory.write('server.pem', server.cert),
    key: await directory.write('server.key', server.key),
    definitions: await directory.write('definitions.json', DEFINITIONS),
    plugins: await directory.write(
      'enabled_plugins',
      '[rabbitmq_management,rabbitmq_auth_mechanism_ssl].\n',
    ),
  };
  const config = `
listeners.tcp.1 = 127.0.0.1:${amqp}
listeners.ssl.1 = 127.0.0.1:${amqps}
ssl_options.cacertfile = ${files.ca}
ssl_options.certfile = ${files.server}
ssl_options.keyfile = ${files.key}
ssl_options.verify = verify_peer
ssl_options.fail_if_no_peer_cert = false
ssl_cert_login_from = common_name
auth_mechanisms.1 = PLAIN
auth_mechanisms.2 = EXTERNAL
management.tcp.ip = 127.0.0.1
management.tcp.port = ${http}
management.load_definitions = ${files.definitions}
collect_statistics_interval = 1000
`;
  const env = {
    RABBITMQ_CONFIG_FILE: (await directory.write('rabbitmq.conf', config)).replace(/\.conf$/, ''),
    RABBITMQ_ENABLED_PLUGINS_FILE: files.plugins,
    RABBITMQ_MNESIA_BASE: `${directory.path}/mnesia`,
    RABBITMQ_LOG_BASE: `${directory.path}/log`,
    RABBITMQ_NODENAME: `test${amqp}@localhost`,
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_PID_FILE: `${directory.path}/pid`,
    ERL_EPMD_PORT: String(epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
  };
  // Without one of ours the server starts a port mapper that outlives it.
  const mapper = await startServer(directory, {
    file: '/usr/bin/epmd',
    args: [],
    env,
    probe: () => runAsOwner(directory, '/usr/bin/epmd', ['-names'], env),
  });
  const url = `amqp://app:p4ss%2Fword@127.0.0.1:${amqp}`;
  const running = await startServer(directory, {
    file: `${LIB}/rabbitmq-server`,
    args: [],
    env,
    probe: async () => {
      await (await connect(url)).close();
      await fetch(`http://127.0.0.1:${http}/`);
    },
  });
  return {
    ports: { amqp, amqps, http },
    publish: (vhost, queue, count) => publish(`${url}/${encodeURIComponent(vhost)}`, queue, count),
    async stop() {
      await running.stop();
      await mapper.stop();
      await directory.remove();
    },
  };
}

const everything = { configure: '.*', write: '.*', read: '.*' };
const DEFINITIONS = JSON.stringify({
  users: ['app', 'client'].map((name) => ({
    ...{ name, password: 'p4ss/word', tags: 'administrator' },
  })),
  vhosts: [{ name: '/' }, { name: 'my shop' }],
  permissions: ['app', 'client'].flatMap((user) =>
    ['/', 'my shop'].map((vhost) => ({ user, vhost, ...everything })),
  ),
});

async function publish(url: string, queue: string, count: number): Promise<void> {
  const connection = await connect(url);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue(queue);
  for (let sent = 0; sent < count; sent++) channel.sendToQueue(queue, Buffer.from('job'));
  await channel.waitForConfirms();
  await connection.close();
}
