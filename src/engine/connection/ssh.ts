/** The `ssh` transport: one connection of the ssh2 library per host. */
import { readFile } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import { userInfo } from 'node:os';
import { Client, type ClientChannel } from 'ssh2';
import { Unreachable } from '../../shared/errors.ts';
import type { Channel, ChannelEnd, OpenOptions, Transport } from './channel.ts';
import type { ConnectionSettings } from './connection.ts';

/** Connects and logs in. Throws Unreachable. */
export async function sshTransport(
  settings: ConnectionSettings,
  _signal?: AbortSignal,
): Promise<Transport> {
  const client = new Client();
  const { address, port = 22, connectTimeoutMs } = settings;
  const privateKey =
    settings.privateKeyFile === undefined ? undefined : await readFile(settings.privateKeyFile);
  const sock = connectSocket({ host: address, port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    client.once('error', (error) =>
      reject(new Unreachable(`${settings.name} cannot be reached: ${error.message}`)),
    );
    client.connect({
      sock,
      username: settings.user ?? userInfo().username,
      readyTimeout: connectTimeoutMs,
      ...(privateKey && { privateKey }),
      ...(settings.password && { password: settings.password }),
    });
  });
  return new SshTransport(client, settings.name);
}

class SshTransport implements Transport {
  readonly #client: Client;
  readonly #name: string;
  readonly #closed: Promise<void>;
  #lost = 'the connection was closed';

  constructor(client: Client, name: string) {
    this.#client = client;
    this.#name = name;
    this.#closed = new Promise((resolve) => client.once('close', () => resolve()));
    client.on('error', (error) => {
      this.#lost = error.message;
    });
  }

  open(command: string, options: OpenOptions = {}): Promise<Channel> {
    return new Promise((resolve, reject) => {
      this.#client.exec(command, { pty: options.terminal === true }, (error, stream) => {
        if (error === undefined) return resolve(this.#channel(stream));
        reject(new Unreachable(`${this.#name} opens no session: ${error.message}`));
      });
    });
  }

  async close(): Promise<void> {
    this.#client.end();
    await this.#closed;
  }

  #channel(stream: ClientChannel): Channel {
    let end: ChannelEnd | undefined;
    stream.on('exit', (code: number | null, signal?: string) => {
      end = { lost: false, reason: code === null ? `signal ${signal}` : `exit code ${code}` };
    });
    stream.on('error', () => {});
    return {
      stdin: stream,
      stdout: stream,
      stderr: stream.stderr,
      ended: new Promise((resolve) => {
        stream.on('close', () => resolve(end ?? { lost: true, reason: this.#lost }));
      }),
      destroy: () => stream.destroy(),
    };
  }
}
