/** Large content on channels of its own: bytes into a script, bytes out of a script, nothing kept in memory. */
import { TaskError } from '../../shared/errors.ts';
import type { Channel, ChannelEnd } from './channel.ts';
import { ConnectionLost } from './channel.ts';
import type { Output, RunOptions } from './connection.ts';
import { timedOut } from './frames.ts';
import { Lane } from './lane.ts';
import {
  expectUnit,
  keep,
  newUnit,
  outputOf,
  renderFrame,
  renderPid,
  renderUnit,
  type StreamName,
  type Unit,
} from './unit.ts';

/** How long a side channel may take to end after it was told to. */
const CLOSE_TIMEOUT_MS = 5_000;

/** A channel that carries one script, and how it is ended from outside. */
export interface Side {
  readonly channel: Channel;
  /** Name of the host, for messages. */
  readonly name: string;
  readonly options: RunOptions;
}

/**
 * Feeds `input` to a script on a plain shell, and gives what it printed. `stop` ends a process of the host and all
 * under it: the end of the channel is only the end of input to the script.
 */
export async function pipeInto(
  side: Side,
  script: string,
  input: AsyncIterable<Uint8Array>,
  stop: (pid: number) => Promise<void>,
): Promise<Output> {
  const talk = new Talk(side);
  const shell = newUnit();
  const { unit } = talk;
  talk.expect(shell, (stream, chunk) => keep(shell, stream, chunk));
  talk.expect(unit, (stream, chunk) => {
    keep(unit, stream, chunk);
    side.options.onOutput?.(stream, chunk);
  });
  talk.listen('stdout');
  talk.onStop = async () => {
    // The script may have been heard of on stderr before its shell was on stdout.
    await talk.settled(() => shell.open.size === 0);
    if (shell.open.size === 0) await stop(Number(outputOf(shell).stdout.toString()));
  };
  const parts = [renderPid(shell.nonce), renderUnit(script, unit.nonce, 'channel'), 'exit'];
  try {
    side.channel.stdin.write(renderFrame(parts));
    await talk.until(() => unit.begun);
    await feed(side.channel, input, talk);
    await talk.until(() => unit.open.size === 0);
    return outputOf(unit);
  } finally {
    await talk.close();
  }
}

/** Runs a script on a persistent shell and yields its stdout at the reader's pace. Throws TaskError on a bad exit code. */
export async function* streamOut(side: Side, script: string): AsyncGenerator<Buffer> {
  const talk = new Talk(side);
  const { unit } = talk;
  const pending: Buffer[] = [];
  talk.expect(unit, (stream, chunk) =>
    stream === 'stdout' ? pending.push(chunk) : keep(unit, stream, chunk),
  );
  try {
    side.channel.stdin.write(renderFrame([renderUnit(script, unit.nonce)]));
    // The iterator waits for more output than this script's; the channel's end alone would end it.
    for await (const chunk of side.channel.stdout.iterator({ destroyOnReturn: false })) {
      talk.push('stdout', chunk);
      yield* pending.splice(0);
      if (!unit.open.has('stdout')) break;
    }
    await talk.until(() => unit.open.size === 0);
    checkCode(outputOf(unit));
  } finally {
    await talk.close();
  }
}

function checkCode({ code, stderr }: Output): void {
  if (code === 0) return;
  const text = stderr.toString().trim();
  throw new TaskError(text || `The script ended with exit code ${code}.`, {
    result: { rc: code, stderr: text },
  });
}

async function feed(channel: Channel, input: AsyncIterable<Uint8Array>, talk: Talk): Promise<void> {
  for await (const chunk of input) {
    if (talk.over()) break;
    if (!channel.stdin.write(chunk))
      await talk.until(() => !channel.stdin.writableNeedDrain || talk.over());
  }
  channel.stdin.end();
}

/** Listens to a side channel, and ends it when its time is up, its signal is aborted or nobody reads it any more. */
class Talk {
  readonly unit = newUnit();
  /** Ends the script where closing the channel does not. */
  onStop: () => Promise<void> = async () => {};
  readonly #side: Side;
  readonly #lanes = { stdout: new Lane(), stderr: new Lane() };
  readonly #release: () => void;
  #waiting: (() => void)[] = [];
  #end: ChannelEnd | undefined;
  #failure: { readonly error: unknown } | undefined;
  #halted: Promise<void> | undefined;

  constructor(side: Side) {
    this.#side = side;
    this.listen('stderr');
    side.channel.stdin.on('drain', () => this.#wake());
    void side.channel.ended.then((end) => {
      this.#end = end;
      this.#wake();
    });
    this.#release = this.#watchLimits();
  }

  expect(unit: Unit, onData: (stream: StreamName, chunk: Buffer) => void): void {
    expectUnit(this.#lanes, unit, onData, () => this.#wake());
  }

  listen(stream: StreamName): void {
    this.#side.channel[stream].on('data', (chunk: Buffer) => this.push(stream, chunk));
  }

  push(stream: StreamName, chunk: Buffer): void {
    this.#lanes[stream].push(chunk);
  }

  /** True when the script takes no more input. */
  over(): boolean {
    return this.unit.open.size === 0 || this.#end !== undefined || this.#failure !== undefined;
  }

  /** Waits for a state of the channel. Throws when it can no longer come. */
  async until(reached: () => boolean): Promise<void> {
    while (!reached()) {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#end !== undefined) throw this.#endError(this.#end);
      await this.#change();
    }
  }

  /** Waits for a state of the channel, or its end. */
  async settled(reached: () => boolean): Promise<void> {
    while (!reached() && this.#end === undefined) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Ends the script, unless it has ended, and the channel. */
  async close(): Promise<void> {
    this.#release();
    await this.halt();
    this.#side.channel.stdout.resume();
    await this.#side.channel.ended;
  }

  /** Tells the host to end the script, unless it has ended, and closes the channel's input. */
  halt(): Promise<void> {
    this.#halted ??= this.#stop();
    return this.#halted;
  }

  async #stop(): Promise<void> {
    const { channel } = this.#side;
    const timer = setTimeout(() => channel.destroy(), CLOSE_TIMEOUT_MS);
    void channel.ended.then(() => clearTimeout(timer));
    const running = this.unit.begun && this.unit.open.size > 0 && this.#end === undefined;
    if (running) await this.onStop().catch(() => channel.destroy());
    channel.stdin.end();
  }

  #watchLimits(): () => void {
    const { signal, timeoutMs } = this.#side.options;
    const fail = (error: unknown) => {
      this.#failure ??= { error };
      void this.halt();
      this.#wake();
    };
    const abort = () => fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => fail(timedOut(timeoutMs)), timeoutMs);
    return () => {
      signal?.removeEventListener('abort', abort);
      clearTimeout(timer);
    };
  }

  #endError(end: ChannelEnd): Error {
    const { name } = this.#side;
    if (end.lost)
      return new ConnectionLost(`The connection to ${name} was lost: ${end.reason}.`, {
        begun: true,
      });
    return new TaskError(`The script ended the shell that ran it (${end.reason}).`);
  }
}
