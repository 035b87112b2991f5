import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { freePorts } from '../free-port.ts';
import { makeServerDirectory, type RunningServer, startServer } from './server.ts';

export interface NatsServers extends RunningServer {
  /** host:port of the monitoring port of each. */
  readonly monitoring: readonly string[];
  /** A stream `orders` with one copy on each server, its consumer `worker`, and messages in it. */
  fill(messages: number): Promise<void>;
  /** Ends one server. */
  stopOne(index: number): Promise<void>;
}

/** Servers with JetStream: each at an address of its own, with the same ports, as pods have them. */
export async function startNats(count: number): Promise<NatsServers> {
  const [clients = 0, http = 0, routes = 0] = await freePorts(3);
  const hosts = Array.from({ length: count }, (_, i) => `127.0.0.${i + 1}`);
  const urls = hosts.map((host) => `"nats://${host}:${routes}"`);
  const servers = await Promise.all(
    hosts.map(async (host, i) => {
      const directory = await makeServerDirectory('nats');
      const cluster = `cluster { name: test, listen: "${host}:${routes}", routes: [${urls}] }`;
      const config = await directory.write(
        'nats.conf',
        `server_name: n${i}\nlisten: "${host}:${clients}"\nhttp: "${host}:${http}"
         jetstream { store_dir: "${directory.path}" }\n${count > 1 ? cluster : ''}`,
      );
      const probe = () => probeHealth(`http://${host}:${http}`, count, `n${i}`);
      const running = await startServer(directory, {
        file: 'nats-server',
        args: ['-c', config],
        probe,
      });
      return { running, directory };
    }),
  );
  return {
    monitoring: hosts.map((host) => `${host}:${http}`),
    fill: (messages) => fill(clients, count, messages),
    stopOne: async (index) => await servers[index]?.running.stop(),
    async stop() {
      for (const { running, directory } of servers) {
        await running.stop();
        await directory.remove();
      }
    },
  };
}

/** Well, and the cluster complete with a leader, who knows all others to be there. */
async function probeHealth(url: string, count: number, name: string): Promise<void> {
  const health = await fetch(`${url}/healthz`);
  if (!health.ok) throw new Error(await health.text());
  if (count === 1) return;
  const { meta_cluster: meta } = JSON.parse(await (await fetch(`${url}/jsz`)).text());
  if (meta?.cluster_size !== count || !meta.leader) throw new Error('the cluster has no leader');
  const current = meta.replicas?.filter((each: { readonly current: boolean }) => each.current);
  if (meta.leader === name && current?.length !== count - 1) throw new Error('others are away');
}

async function fill(port: number, copies: number, messages: number): Promise<void> {
  const client = await NatsClient.connect(port);
  await client.ask('$JS.API.STREAM.CREATE.orders', {
    name: 'orders',
    subjects: ['orders.>'],
    storage: 'memory',
    num_replicas: copies,
  });
  await client.ask('$JS.API.CONSUMER.DURABLE.CREATE.orders.worker', {
    stream_name: 'orders',
    config: { durable_name: 'worker', ack_policy: 'explicit' },
  });
  for (let i = 0; i < messages; i++) await client.ask('orders.new', { order: i });
  client.close();
}

/** As much of the protocol as requests need. */
class NatsClient {
  readonly #socket: Socket;
  readonly #lines: AsyncIterator<string>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    socket.write('CONNECT {"verbose":false}\r\nSUB inbox 1\r\n');
  }

  static async connect(port: number): Promise<NatsClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new NatsClient(socket);
  }

  /** @throws {Error} with what JetStream has against it. */
  async ask(subject: string, message: object): Promise<void> {
    const text = JSON.stringify(message);
    this.#socket.write(`PUB ${subject} inbox ${Buffer.byteLength(text)}\r\n${text}\r\n`);
    for (;;) {
      const { value: line, done } = await this.#lines.next();
      if (done) throw new Error('NATS ended the connection');
      if (line.startsWith('-ERR')) throw new Error(line);
      if (!line.startsWith('MSG')) continue;
      const { value: answer } = await this.#lines.next();
      const { error } = JSON.parse(answer) as { readonly error?: { readonly description: string } };
      if (error !== undefined) throw new Error(`${subject}: ${error.description}`);
      return;
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}
