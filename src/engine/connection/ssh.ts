/** The `ssh` transport: one connection of the ssh2 library per host. */
import type { Duplex } from 'node:stream';
import ssh2, { type AnyAuthMethod, type Client, type ConnectConfig } from 'ssh2';
import { TaskError, Unreachable } from '../../shared/errors.ts';
import type { Channel, OpenOptions, Refusal, Transport } from './channel.ts';
import type { ConnectionSettings, Endpoint } from './connection.ts';
import { checkHostKey } from './host-key-policy.ts';
import { keysOf, readHostKey, readKnownHosts } from './known-hosts.ts';
import { hostKeyAlgorithms } from './ssh-algorithms.ts';
import { authMethod, readKey } from './ssh-credential.ts';
import { explain, isRefusal, loginRefused, noAnswer, notForwarded } from './ssh-failure.ts';
import { type Hop, Journey, withRetries } from './ssh-journey.ts';
import { Login } from './ssh-login.ts';
import { sessionChannel } from './ssh-session.ts';
import { forwardOut, parseRefusal } from './ssh-stream.ts';
import { resolveTarget, type SshTarget } from './ssh-target.ts';

/** Connects and logs in. Throws Unreachable with the cure, InvalidInput for arguments that it cannot honour. */
export async function sshTransport(
  settings: ConnectionSettings,
  signal?: AbortSignal,
): Promise<Transport> {
  const target = await resolveTarget(settings);
  const dial = async (): Promise<Connected> => {
    const journey = new Journey<SshHop>(settings, (each, open) =>
      new Attempt(each, signal).run(open),
    );
    const { client } = await journey.to(target);
    return { client, close: () => journey.end() };
  };
  return new SshTransport(target.name, await withRetries(dial, settings.retries, signal), dial);
}

/** A client at the end of its journey; `close` leaves the jump hosts too. */
interface Connected {
  readonly client: Client;
  close(): void;
}

/** A host that has been entered. */
class SshHop implements Hop {
  readonly client: Client;
  readonly #target: SshTarget;

  constructor(client: Client, target: SshTarget) {
    this.client = client;
    this.#target = target;
  }

  async forward({ host, port }: SshTarget): Promise<Duplex> {
    try {
      return await forwardOut(this.client, { host, port });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw notForwarded(this.#target, `${host}:${port}`, text);
    }
  }

  end(): void {
    this.client.end();
  }
}

/** The handshake and the login on one host, within the connect timeout; time spent asking a person does not count. */
class Attempt {
  readonly #target: SshTarget;
  readonly #signal: AbortSignal | undefined;
  readonly #client = new ssh2.Client();
  readonly #login: Login;
  #fail: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(target: SshTarget, signal: AbortSignal | undefined) {
    this.#target = target;
    this.#signal = signal;
    this.#login = new Login(target, readKey, (work) => this.#paused(work));
  }

  async run(open: () => Promise<Duplex>): Promise<SshHop> {
    this.#signal?.throwIfAborted();
    const failed = new Promise<never>((_resolve, reject) => {
      this.#fail = reject;
    });
    const abort = () => this.#fail(this.#signal?.reason);
    this.#signal?.addEventListener('abort', abort, { once: true });
    // Jump hosts on the way have clocks of their own.
    if (this.#target.proxyJump.length === 0) this.#startClock();
    try {
      return await Promise.race([failed, this.#connect(open)]);
    } catch (error) {
      this.#isOver = true;
      this.#client.destroy();
      throw this.#signal?.aborted === true ? error : this.#explain(error);
    } finally {
      clearTimeout(this.#timer);
      this.#signal?.removeEventListener('abort', abort);
    }
  }

  async #connect(open: () => Promise<Duplex>): Promise<SshHop> {
    const config = await this.#config();
    // From here to `connect` nothing may wait: a stream that ends before the library listens would never be missed.
    const sock = await open();
    if (this.#isOver) {
      sock.destroy();
      throw this.#signal?.reason;
    }
    this.#startClock();
    return new Promise((resolve, reject) => {
      this.#client.once('ready', () => resolve(new SshHop(this.#client, this.#target)));
      this.#client.on('error', reject);
      this.#client.once('close', () =>
        reject(Object.assign(new Error('hung up'), { code: 'ECONNRESET' })),
      );
      this.#client.connect({ ...config, sock });
    });
  }

  async #config(): Promise<ConnectConfig> {
    const { user, keepaliveMs, keepaliveCount, agent, forwardAgent, hostKeys, debug } =
      this.#target;
    const known = keysOf(await readKnownHosts(hostKeys.files), hostKeys.address).map(
      ({ key }) => key.type,
    );
    return {
      username: user,
      readyTimeout: 0,
      debug,
      keepaliveInterval: keepaliveMs,
      keepaliveCountMax: keepaliveCount,
      algorithms: { serverHostKey: hostKeyAlgorithms(known) },
      hostVerifier: (blob: Buffer, answer: (valid: boolean) => void) => {
        checkHostKey(hostKeys, readHostKey(blob)).then(
          () => answer(true),
          (error: unknown) => {
            this.#fail(error);
            answer(false);
          },
        );
      },
      authHandler: (
        accepted: string[] | null,
        _partial: boolean | null,
        next: (method: never) => void,
      ) => {
        // The declared type leaves out what the library takes: `false` and objects.
        this.#nextMethod(accepted).then(next as (method: AnyAuthMethod | false) => void, (error) =>
          this.#fail(error),
        );
      },
      ...(agent !== undefined && forwardAgent && { agent, agentForward: true }),
    } as ConnectConfig; // The union of verifier types cannot be told apart by its parameters.
  }

  async #nextMethod(accepted: readonly string[] | null): Promise<AnyAuthMethod | false> {
    if (accepted === null) return { type: 'none', username: this.#target.user };
    const credential = await this.#login.next(accepted);
    return credential === undefined ? false : authMethod(credential, this.#target.user);
  }

  #explain(error: unknown): Unreachable {
    return isRefusal(error)
      ? loginRefused(this.#target, this.#login.offered)
      : explain(error, this.#target);
  }

  #startClock(): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#timer = setTimeout(
      () => this.#fail(noAnswer(this.#target)),
      this.#target.connectTimeoutMs,
    );
  }

  async #paused<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    const result = await work();
    this.#startClock();
    return result;
  }
}

/** The host is there: a task that needs a terminal fails, and others go on. */
function noTerminal(name: string): TaskError {
  return new TaskError(`The SSH server of ${name} gives no terminal`, {
    hint: 'allow it in its sshd_config (PermitTTY), or become the user in a way that needs none',
  });
}

/** Channels on a connection; where the host allows few of them (MaxSessions), on further connections. */
class SshTransport implements Transport {
  readonly #name: string;
  readonly #dial: () => Promise<Connected>;
  readonly #connections: Connected[] = [];
  #lost = 'the host closed the connection';

  constructor(name: string, first: Connected, dial: () => Promise<Connected>) {
    this.#name = name;
    this.#dial = dial;
    this.#add(first);
  }

  async open(command: string, { terminal = false }: OpenOptions = {}): Promise<Channel> {
    for (const { client } of this.#connections) {
      const channel = await this.#exec(client, command, terminal);
      if (channel !== undefined) return channel;
    }
    const another = await this.#dial();
    this.#add(another);
    const channel = await this.#exec(another.client, command, terminal);
    if (channel !== undefined) return channel;
    throw new Unreachable(`${this.#name} opens no session.`, {
      hint: 'allow sessions in its sshd_config (MaxSessions, ForceCommand)',
    });
  }

  async openStream(to: Endpoint): Promise<Duplex | Refusal> {
    const [first] = this.#connections;
    try {
      if (first === undefined) throw new Error(this.#lost);
      return await forwardOut(first.client, to);
    } catch (error) {
      const refusal = parseRefusal(error);
      if (refusal === undefined) throw this.#gone(this.#lost);
      return refusal;
    }
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.close();
  }

  #add(connection: Connected): void {
    this.#connections.push(connection);
    connection.client.on('error', (error) => {
      this.#lost = error.message;
    });
  }

  /** Undefined where the host refuses one more session. Throws Unreachable where it has gone. */
  #exec(client: Client, command: string, terminal: boolean): Promise<Channel | undefined> {
    return new Promise((resolve, reject) => {
      const lost = (text: string) => reject(this.#gone(text));
      try {
        client.exec(command, { pty: terminal }, (error, stream) => {
          // At once: the exit code may be in the same packet.
          if (error === undefined) resolve(sessionChannel(stream, () => this.#lost));
          else if (/open failure|open failed/i.test(error.message)) resolve(undefined);
          else if (/pseudo-terminal/i.test(error.message)) reject(noTerminal(this.#name));
          else lost(error.message);
        });
      } catch {
        lost(this.#lost);
      }
    });
  }

  #gone(text: string): Unreachable {
    return new Unreachable(`The connection to ${this.#name} is lost: ${text}.`);
  }
}
