/** Connections of a run: one per way of reaching a host, shared by all tasks. */
import type {
  Become,
  Connect,
  Connection,
  ConnectionSettings,
  Shell,
} from '../connection/connection.ts';

export class Sessions {
  readonly #connect: Connect;
  readonly #signal: AbortSignal;
  readonly #open = new Map<string, Promise<Connection>>();
  /** Frames of connections that were closed, by host. */
  readonly #spent = new Map<string, number>();

  constructor(connect: Connect, signal: AbortSignal) {
    this.#connect = connect;
    this.#signal = signal;
  }

  /** The shell of the login user, or of the one to become. Throws Unreachable; TaskError when become fails. */
  async shell(settings: ConnectionSettings, become: Become | undefined): Promise<Shell> {
    const connection = await this.connection(settings);
    return await connection.shell(become);
  }

  connection(settings: ConnectionSettings): Promise<Connection> {
    const key = keyOf(settings);
    return this.#open.get(key) ?? this.#keep(key, this.#connect(settings, this.#signal));
  }

  /** Ends the shells of other users than this one, on all connections to the host; they open again when they are needed. */
  async endBecome({ name }: ConnectionSettings, except: Become | undefined): Promise<void> {
    const own = [...this.#open].filter(([key]) => nameOf(key) === name);
    const connections = await Promise.all(own.map(([, opening]) => opening.catch(() => undefined)));
    await Promise.all(connections.map((connection) => connection?.endBecome(except)));
  }

  /** Closes the connection and opens it again, at one attempt of limited length. Throws Unreachable. */
  async reopen(settings: ConnectionSettings, connectTimeoutMs: number): Promise<void> {
    await this.drop(settings);
    const quick = { ...settings, connectTimeoutMs, retries: 0 };
    await this.#keep(keyOf(settings), this.#connect(quick, this.#signal));
  }

  #keep(key: string, connection: Promise<Connection>): Promise<Connection> {
    this.#open.set(key, connection);
    // A failed attempt is not kept: the next task tries again.
    connection.catch(() => this.#open.delete(key));
    return connection;
  }

  /** Closes the connection, so that the next task opens a new one. */
  async drop(settings: ConnectionSettings): Promise<void> {
    const key = keyOf(settings);
    const connection = this.#open.get(key);
    this.#open.delete(key);
    if (connection === undefined) return;
    await this.#close(settings.name, connection);
  }

  /** Round trips that hosts have cost so far, connecting aside. */
  async frames(): Promise<ReadonlyMap<string, number>> {
    const frames = new Map(this.#spent);
    for (const [key, opening] of this.#open) {
      const connection = await opening.catch(() => undefined);
      const name = nameOf(key);
      frames.set(name, (frames.get(name) ?? 0) + (connection?.frames ?? 0));
    }
    return frames;
  }

  async closeAll(): Promise<void> {
    const all = [...this.#open];
    this.#open.clear();
    await Promise.all(all.map(([key, connection]) => this.#close(nameOf(key), connection)));
  }

  async #close(name: string, opening: Promise<Connection>): Promise<void> {
    const connection = await opening.catch(() => undefined);
    if (connection === undefined) return;
    this.#spent.set(name, (this.#spent.get(name) ?? 0) + connection.frames);
    await connection.close();
  }
}

function keyOf({ name, prompt: _, ...rest }: ConnectionSettings): string {
  return JSON.stringify([name, rest]);
}

function nameOf(key: string): string {
  return (JSON.parse(key) as [string])[0]; // Made by keyOf.
}
