/** A connected host: its shells, one for each user, over any transport. */
import type { Transport } from './channel.ts';
import { ConnectionLost } from './channel.ts';
import type { Become, Connection, ConnectionSettings } from './connection.ts';
import { HostShell } from './host-shell.ts';

/** Keeps the shells of one host and the transport under them. */
export class HostConnection implements Connection {
  readonly #settings: ConnectionSettings;
  readonly #dial: () => Promise<Transport>;
  readonly #shells = new Map<string, HostShell>();
  #transport: Promise<Transport>;
  #closed = false;
  #frames = 0;

  /** `dial` connects again when a reset asks for it. */
  constructor(settings: ConnectionSettings, transport: Transport, dial: () => Promise<Transport>) {
    this.#settings = settings;
    this.#transport = Promise.resolve(transport);
    this.#dial = dial;
  }

  get frames(): number {
    return this.#frames;
  }

  async shell(become?: Become): Promise<HostShell> {
    const shell = this.#shellOf(become);
    await shell.open();
    return shell;
  }

  async reset(options: { readonly reconnect?: boolean } = {}): Promise<void> {
    await this.#closeShells();
    if (options.reconnect !== true) return;
    const old = await this.#transport.catch(() => undefined);
    await old?.close();
    this.#transport = this.#dial();
    await this.#transport;
  }

  async endBecome(except: Become | undefined): Promise<void> {
    const kept = [keyOf(undefined), keyOf(except)];
    const others = [...this.#shells].filter(([key]) => !kept.includes(key));
    await Promise.all(others.map(([, shell]) => shell.close()));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#closeShells();
    const transport = await this.#transport.catch(() => undefined);
    await transport?.close();
  }

  #shellOf(become: Become | undefined): HostShell {
    const key = keyOf(become);
    const shell = this.#shells.get(key) ?? this.#newShell(become);
    this.#shells.set(key, shell);
    return shell;
  }

  #newShell(become: Become | undefined): HostShell {
    const { name, shell, connectTimeoutMs } = this.#settings;
    return new HostShell({
      spec: { name, shell, become, timeoutMs: connectTimeoutMs },
      transport: (purpose) => (purpose === 'end' ? this.#transport : this.#alive()),
      onFrame: () => {
        this.#frames += 1;
      },
    });
  }

  #alive(): Promise<Transport> {
    if (!this.#closed) return this.#transport;
    const message = `The connection to ${this.#settings.name} is closed.`;
    return Promise.reject(new ConnectionLost(message, { begun: false }));
  }

  async #closeShells(): Promise<void> {
    const shells = [...this.#shells.values()];
    this.#shells.clear();
    await Promise.all(shells.map((shell) => shell.close()));
  }
}

function keyOf(become: Become | undefined): string {
  return JSON.stringify(become ?? null);
}
