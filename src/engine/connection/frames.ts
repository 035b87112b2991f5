/** Frames: how scripts travel to a persistent shell and their outputs come back, over one channel. */
import { TaskError } from '../../shared/errors.ts';
import type { Channel, ChannelEnd } from './channel.ts';
import { ConnectionLost } from './channel.ts';
import type { Output, RunOptions } from './connection.ts';
import { Lane } from './lane.ts';
import {
  expectUnit,
  keep,
  newUnit,
  outputOf,
  renderApart,
  renderFrame,
  renderUnit,
  type StreamName,
  type Unit,
} from './unit.ts';

/** Bytes that may wait on the host behind a running frame; more would fill its pipe and hide the channel's end. */
const PIPELINE_BYTES = 32 * 1024;

/** How long the host may take to end its scripts after the channel has been closed. */
const CLOSE_TIMEOUT_MS = 5_000;

/** How long a process that a script has left behind must be silent before its output is no longer waited for, */
const SILENCE_MS = 1_000;
/** and how long it is waited for at most. */
const MAX_LINGER_MS = 10_000;

/** The frame did not run because an earlier one took the shell with it. It can be sent again. */
export class NotBegun extends Error {
  override readonly name = 'NotBegun';
}

/** Scripts that travel together, and where their outputs go. */
interface Frame {
  readonly bytes: Buffer;
  readonly units: readonly Unit[];
  readonly options: RunOptions;
  /** Whether its scripts have pipes of their own, because they may leave processes behind. */
  readonly apart: boolean;
  readonly settle: { resolve(outputs: Output[]): void; reject(error: unknown): void };
  sent: boolean;
  timer: NodeJS.Timeout | undefined;
  /** Since when its scripts have ended and something still holds their output, and who waits for silence. */
  linger: { readonly sinceMs: number; readonly timer: NodeJS.Timeout } | undefined;
  forget(): void;
}

/** Speaks frames with one persistent shell. Several may be under way; the shell runs them one after the other. */
export class FrameChannel {
  readonly #channel: Channel;
  readonly #name: string;
  readonly #onFrame: () => void;
  readonly #lanes = { stdout: new Lane(), stderr: new Lane() };
  #queue: Frame[] = [];
  /** The frame that is being ended on purpose, and what its caller will be told. */
  #ending: { readonly frame: Frame | undefined; readonly error: unknown } | undefined;
  #end: ChannelEnd | undefined;

  /** `onFrame` is called for every frame that is sent; `name` is the host's, for messages. */
  constructor(channel: Channel, name: string, onFrame: () => void) {
    this.#channel = channel;
    this.#name = name;
    this.#onFrame = onFrame;
    channel.stdout.on('data', (chunk: Buffer) => this.#lanes.stdout.push(chunk));
    channel.stderr.on('data', (chunk: Buffer) => this.#lanes.stderr.push(chunk));
    void channel.ended.then((end) => this.#onEnd(end));
  }

  /** Settles when the channel is gone, and with it every script that ran in it. */
  get ended(): Promise<unknown> {
    return this.#channel.ended;
  }

  /** False once the shell has ended or is being ended. */
  get usable(): boolean {
    return this.#end === undefined && this.#ending === undefined;
  }

  /**
   * Runs scripts as one frame, `apart` where they may leave processes behind. Rejects with NotBegun when it may be
   * sent again on another channel.
   */
  run(scripts: readonly string[], options: RunOptions, apart = false): Promise<Output[]> {
    if (!this.usable) return Promise.reject(new NotBegun());
    return new Promise((resolve, reject) => {
      const units = scripts.map(newUnit);
      const render = apart ? renderApart : renderUnit;
      const parts = scripts.map((script, i) => render(script, units[i]?.nonce ?? ''));
      const frame: Frame = {
        bytes: Buffer.from(renderFrame(parts)),
        units,
        options,
        apart,
        settle: { resolve, reject },
        sent: false,
        timer: undefined,
        linger: undefined,
        forget: () => {},
      };
      this.#watchSignal(frame);
      this.#queue.push(frame);
      this.#pump();
    });
  }

  /** Closes the channel, which ends every script that runs in it, and waits until the host has done so. */
  async close(): Promise<void> {
    this.#finish(undefined, undefined);
    await this.#channel.ended;
  }

  #watchSignal(frame: Frame): void {
    const { signal } = frame.options;
    if (signal === undefined) return;
    const abort = () => this.#abort(frame, signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    frame.forget = () => signal.removeEventListener('abort', abort);
  }

  #abort(frame: Frame, reason: unknown): void {
    if (frame.sent) {
      this.#finish(frame, reason);
      return;
    }
    this.#queue = this.#queue.filter((other) => other !== frame);
    this.#settle(frame, () => frame.settle.reject(reason));
  }

  /** Sends what may be sent: the first frame, and small ones behind it that cannot be cut short for its sake. */
  #pump(): void {
    if (!this.usable) return;
    for (const frame of this.#queue) {
      if (frame.sent) continue;
      if (!this.#mayFollow(frame)) break;
      this.#send(frame);
    }
    this.#startTimer();
  }

  #mayFollow(frame: Frame): boolean {
    const sent = this.#queue.filter((other) => other.sent);
    const waiting = sent
      .slice(1)
      .reduce((sum, { bytes }) => sum + bytes.length, frame.bytes.length);
    // Frames that can be ended on their own, or end the shell, must not have others on the wire behind them.
    const together = sent.every(
      ({ options, apart }) =>
        !apart && options.timeoutMs === undefined && options.signal === frame.options.signal,
    );
    return sent.length === 0 || (together && waiting <= PIPELINE_BYTES);
  }

  #send(frame: Frame): void {
    frame.sent = true;
    for (const unit of frame.units) {
      const onData = (stream: StreamName, chunk: Buffer) => {
        keep(unit, stream, chunk);
        frame.options.onOutput?.(stream, chunk);
        if (frame.linger !== undefined && Date.now() - frame.linger.sinceMs < MAX_LINGER_MS)
          frame.linger.timer.refresh();
      };
      expectUnit(this.#lanes, unit, onData, () => this.#onChange(frame));
    }
    this.#onFrame();
    this.#channel.stdin.write(frame.bytes);
  }

  #onChange(frame: Frame): void {
    if (frame.units.every(({ open }) => open.size === 0)) {
      this.#conclude(frame);
      this.#pump();
      return;
    }
    if (!frame.apart || frame.units.some(({ running }) => running.size > 0)) return;
    frame.linger ??= {
      sinceMs: Date.now(),
      timer: setTimeout(() => this.#leave(frame), SILENCE_MS),
    };
  }

  #conclude(frame: Frame): void {
    this.#queue = this.#queue.filter((other) => other !== frame);
    this.#settle(frame, () => {
      // Without an exit code of its own, the shell between the pipes was killed.
      if (frame.units.some(({ running }) => running.size > 0))
        frame.settle.reject(this.#shellEnded('no exit code'));
      else frame.settle.resolve(frame.units.map(outputOf));
    });
  }

  /** Goes on without a process that a script has left behind, in another shell. */
  #leave(frame: Frame): void {
    this.#finish(frame, undefined);
    this.#conclude(frame);
  }

  /** The clock of a frame runs from the moment in which the shell is free for it. */
  #startTimer(): void {
    const [frame] = this.#queue;
    const timeoutMs = frame?.options.timeoutMs;
    if (frame === undefined || timeoutMs === undefined || frame.timer !== undefined) return;
    frame.timer = setTimeout(() => this.#finish(frame, timedOut(timeoutMs)), timeoutMs);
  }

  /** Ends the shell, what runs in it included: for the sake of one frame, or of none when the channel is closed. */
  #finish(frame: Frame | undefined, error: unknown): void {
    if (this.#ending !== undefined || this.#end !== undefined) return;
    this.#ending = { frame, error };
    this.#channel.stdin.end();
    const timer = setTimeout(() => this.#channel.destroy(), CLOSE_TIMEOUT_MS);
    void this.#channel.ended.then(() => clearTimeout(timer));
  }

  #onEnd(end: ChannelEnd): void {
    this.#end = end;
    const head = this.#queue[0];
    const queue = this.#queue;
    this.#queue = [];
    for (const frame of queue) {
      const error = this.#errorFor(frame, frame === head, end);
      this.#settle(frame, () => frame.settle.reject(error));
    }
  }

  #errorFor(frame: Frame, isHead: boolean, end: ChannelEnd): unknown {
    const begun = frame.units.some((unit) => unit.begun);
    if (this.#ending?.frame === frame || isAborted(frame))
      return this.#ending?.error ?? frame.options.signal?.reason;
    if (end.lost) return this.#lostError(frame.sent, end);
    if (this.#ending !== undefined)
      return this.#ending.frame === undefined || begun ? this.#closedError(begun) : new NotBegun();
    if (!begun && !isHead) return new NotBegun();
    return this.#shellEnded(end.reason);
  }

  #shellEnded(reason: string): TaskError {
    return new TaskError('The script ended the shell that ran it.', {
      hint: `the shell of ${this.#name} stopped with ${reason}; the script must not kill its parent process`,
    });
  }

  #lostError(sent: boolean, end: ChannelEnd): ConnectionLost {
    return new ConnectionLost(`The connection to ${this.#name} was lost: ${end.reason}.`, {
      begun: sent,
    });
  }

  #closedError(begun: boolean): ConnectionLost {
    return new ConnectionLost(`The connection to ${this.#name} was closed.`, { begun });
  }

  #settle(frame: Frame, tell: () => void): void {
    clearTimeout(frame.timer);
    clearTimeout(frame.linger?.timer);
    frame.forget();
    tell();
  }
}

function isAborted(frame: Frame): boolean {
  return frame.options.signal?.aborted === true;
}

/** What a caller is told whose script took too long. */
export function timedOut(timeoutMs: number): TaskError {
  return new TaskError(`The script timed out after ${timeoutMs / 1000} seconds and was ended.`, {
    hint: 'raise the timeout, or find out on the host what the command waits for',
  });
}
