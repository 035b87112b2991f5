/** One user's shell on one host: opened when needed, opened again after a script had to be ended. */
import type { Duplex } from 'node:stream';
import { endTree } from './bootstrap.ts';
import { ConnectionLost, type Transport } from './channel.ts';
import type { Endpoint, Output, RunOptions, Shell } from './connection.ts';
import { FrameChannel, NotBegun } from './frames.ts';
import { openHostStream } from './host-stream.ts';
import { openShell, type ShellSpec } from './opening.ts';
import { pipeInto, type Side, streamOut } from './side-channel.ts';

/** What a shell needs from its connection. */
export interface ShellPorts {
  readonly spec: ShellSpec;
  /** The way to the host; to `end` scripts it is open even while the connection is being closed. */
  transport(purpose: 'run' | 'end'): Promise<Transport>;
  /** Called for every frame sent. */
  onFrame(): void;
}

/** The shell of one user. */
export class HostShell implements Shell {
  readonly #ports: ShellPorts;
  readonly #sides = new Set<Promise<unknown>>();
  #closing = new AbortController();
  #frames: Promise<FrameChannel> | undefined;

  constructor(ports: ShellPorts) {
    this.#ports = ports;
  }

  /** Opens the shell unless it is open. Throws Unreachable, or TaskError when the user cannot be become. */
  async open(): Promise<void> {
    await this.#channel();
  }

  async run(script: string, options: RunOptions = {}): Promise<Output> {
    const [output] = await this.#send([script], options, true);
    if (output === undefined) throw new Error('a frame of one script has one output');
    return output;
  }

  async runAll(scripts: readonly string[], options: RunOptions = {}): Promise<Output[]> {
    return scripts.length === 0 ? [] : await this.#send(scripts, options, false);
  }

  async #send(scripts: readonly string[], options: RunOptions, apart: boolean): Promise<Output[]> {
    for (;;) {
      options.signal?.throwIfAborted();
      const channel = await this.#channel();
      try {
        return await channel.run(scripts, options, apart);
      } catch (error) {
        if (!(error instanceof NotBegun)) throw error;
      }
    }
  }

  async pipe(
    script: string,
    input: AsyncIterable<Uint8Array>,
    options: RunOptions = {},
  ): Promise<Output> {
    const side = await this.#side('plain', options);
    return pipeInto(side, script, input, (pid) => this.#endProcess(pid));
  }

  async *stream(script: string, options: RunOptions = {}): AsyncGenerator<Buffer> {
    yield* streamOut(await this.#side('persistent', options), script);
  }

  async openStream(to: Endpoint): Promise<Duplex> {
    const { spec, transport } = this.#ports;
    return openHostStream(await transport('run'), to, spec.name);
  }

  /** Ends every script that runs. The shell can be opened again. */
  async close(): Promise<void> {
    this.#closing.abort(this.#closedError());
    this.#closing = new AbortController();
    const frames = await this.#frames?.catch(() => undefined);
    this.#frames = undefined;
    await Promise.all([frames?.close(), ...this.#sides]);
  }

  /** Opens a channel beside the shell, which closing the shell ends too. */
  async #side(kind: 'plain' | 'persistent', options: RunOptions): Promise<Side> {
    const { spec, transport, onFrame } = this.#ports;
    options.signal?.throwIfAborted();
    const closing = this.#closing.signal;
    const signal =
      options.signal === undefined ? closing : AbortSignal.any([options.signal, closing]);
    const channel = await openShell(await transport('run'), kind, spec);
    onFrame();
    this.#sides.add(channel.ended);
    void channel.ended.then(() => this.#sides.delete(channel.ended));
    return { channel, name: spec.name, options: { ...options, signal } };
  }

  /** Ends a process, and all under it, on a channel of its own. */
  async #endProcess(pid: number): Promise<void> {
    const { spec, transport } = this.#ports;
    const channel = await openShell(await transport('end'), 'plain', spec);
    channel.stdout.resume();
    channel.stderr.resume();
    channel.stdin.end(`{\n${endTree(pid)}\nexit\n}\n`);
    await channel.ended;
  }

  #closedError(): ConnectionLost {
    return new ConnectionLost(`The connection to ${this.#ports.spec.name} was closed.`, {
      begun: true,
    });
  }

  /** The open channel, or a new one: for all who wait, and forgotten when it fails to open. */
  async #channel(): Promise<FrameChannel> {
    for (;;) {
      const pending = this.#frames ?? this.#start(undefined);
      this.#frames = pending;
      const current = await pending;
      if (current.usable) return current;
      if (this.#frames === pending) this.#frames = this.#start(current);
    }
  }

  #start(previous: FrameChannel | undefined): Promise<FrameChannel> {
    const opening = this.#reopen(previous);
    opening.catch(() => {
      if (this.#frames === opening) this.#frames = undefined;
    });
    return opening;
  }

  async #reopen(previous: FrameChannel | undefined): Promise<FrameChannel> {
    await previous?.ended;
    const { spec, transport, onFrame } = this.#ports;
    const channel = await openShell(await transport('run'), 'persistent', spec);
    return new FrameChannel(channel, spec.name, onFrame);
  }
}
