/** RabbitMQ by AMQP 0-9-1, with the package `amqplib`. */
import type { ChannelModel } from 'amqplib';
import type { Gauge, TriggerTools } from '../../trigger.ts';
import { loginOf, type RabbitmqValues } from './rabbitmq-parameters.ts';
import { askSource, CONNECT_TIMEOUT_MS, openSource, type Source } from './source.ts';

const HEARTBEAT_SECONDS = 10;
const PORTS: Readonly<Record<string, number>> = { 'amqp:': 5672, 'amqps:': 5671 };

/** Counts the messages that are ready, by declaring the queue passively. */
export async function openAmqp(values: RabbitmqValues, tools: TriggerTools): Promise<Gauge> {
  const url = new URL(values.host);
  const login = loginOf(values);
  const source: Source = {
    label: `RabbitMQ at ${url.hostname}:${url.port || PORTS[url.protocol]}`,
    secrets: [values.host, values.password, login.password, url.password, values.keyPassword],
  };
  const connection = await openSource(
    source,
    () => connect(values, tools),
    () => {}, // The driver gives up by itself, at the same time.
    values.timeout ?? CONNECT_TIMEOUT_MS,
  );
  // Without listeners, a connection that dies between two polls would end the process; the next question tells.
  connection.on('error', () => {});
  const end = () => destroy(connection);
  const channel = await askSource(source, () => connection.createChannel());
  channel.on('error', () => {});

  return {
    async read(signal) {
      const ask = async () => (await channel.checkQueue(values.queueName)).messageCount;
      const value = await askSource(source, ask, signal, end);
      return { value, isActive: value > values.activationValue };
    },
    close: async () => end(),
  };
}

async function connect(values: RabbitmqValues, tools: TriggerTools): Promise<ChannelModel> {
  const { default: amqp } = await import('amqplib');
  const { object, tls } = tools;
  const url = new URL(values.host);
  const { isExternal, ...login } = identityOf(values);
  const { ca, cert, key, keyPassword, unsafeSsl } = values;
  const isSecure = url.protocol === 'amqps:';
  const route = {
    protocol: isSecure ? 'amqps' : 'amqp',
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || PORTS[url.protocol]),
    ...login,
    vhost:
      values.vhostName === undefined ? url.pathname.slice(1) : encodeURIComponent(values.vhostName),
    heartbeat: Number(url.searchParams.get('heartbeat') ?? HEARTBEAT_SECONDS),
  };
  const connecting = amqp.connect(route, {
    ...(isSecure && tls({ ca, cert, key, keyPassword, isUnsafe: unsafeSsl })),
    ...(isExternal && { credentials: amqp.credentials.external() }),
    timeout: values.timeout ?? CONNECT_TIMEOUT_MS,
    clientProperties: { connection_name: `tsprov-scaler/${object.namespace}/${object.name}` },
  });
  return connecting.catch((error: Error) => {
    // The driver does not tell what the server said here, and there is one thing that it can have said.
    if (!error.message.includes('ConnectionOpenOk')) throw error;
    const vhost = decodeURIComponent(route.vhost) || '/';
    throw new Error(`there is no virtual host "${vhost}", or ${login.username} may not use it`);
  });
}

/** A certificate logs in by itself where no password is given; `guest` where nobody is named. */
function identityOf(values: RabbitmqValues) {
  const { username, password } = loginOf(values);
  const isNobody = username === undefined && password === undefined;
  return {
    username: isNobody ? 'guest' : (username ?? ''),
    password: isNobody ? 'guest' : (password ?? ''),
    isExternal: values.tls === 'enable' && values.cert !== undefined && password === undefined,
  };
}

/** Closing politely would wait for a server that may not answer. */
function destroy(connection: ChannelModel): void {
  const { stream } = connection.connection as unknown as { stream: { destroy(): void } };
  stream.destroy();
}
