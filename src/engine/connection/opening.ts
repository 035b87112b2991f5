/** Opens a shell on a host, as the login user or as another. */
import { randomBytes } from 'node:crypto';
import { Unreachable } from '../../shared/errors.ts';
import { type BecomeDialogue, becomeCommand, becomeDialogue } from './become.ts';
import { persistentShell, plainShell, shellCommand } from './bootstrap.ts';
import type { Channel, ChannelEnd, Transport } from './channel.ts';
import type { Become } from './connection.ts';

/** Which shell to open. */
export interface ShellSpec {
  /** Name of the host, for messages. */
  readonly name: string;
  /** Path of the shell on the host. */
  readonly shell: string;
  readonly become: Become | undefined;
  /** How long the host may take to answer. */
  readonly timeoutMs: number;
}

/** Text kept for messages while the shell is not ready. */
const MAX_TEXT = 16 * 1024;

/**
 * Opens a channel with a shell that is ready to read from it: `persistent` for frames, `plain` for one script.
 * Throws Unreachable when the host gives no shell, TaskError when it refuses to become the user.
 */
export async function openShell(
  transport: Transport,
  kind: 'persistent' | 'plain',
  spec: ShellSpec,
): Promise<Channel> {
  const nonce = randomBytes(16).toString('hex');
  const boot = shellCommand(
    (kind === 'persistent' ? persistentShell : plainShell)(spec.shell, nonce),
  );
  const command = spec.become === undefined ? boot : becomeCommand(spec.become, boot, nonce);
  const channel = await transport.open(`exec ${command}`);
  const dialogue = spec.become && becomeDialogue(spec.become, nonce);
  try {
    await new Opening(channel, nonce, spec, dialogue).ready();
  } catch (error) {
    channel.destroy();
    throw error;
  }
  return channel;
}

/** Waits for the shell's ready marker and answers what is asked on the way. */
class Opening {
  readonly #channel: Channel;
  readonly #marker: string;
  readonly #spec: ShellSpec;
  readonly #dialogue: BecomeDialogue | undefined;
  #text = '';

  constructor(
    channel: Channel,
    nonce: string,
    spec: ShellSpec,
    dialogue: BecomeDialogue | undefined,
  ) {
    this.#channel = channel;
    this.#marker = `\x1e${nonce}<`;
    this.#spec = spec;
    this.#dialogue = dialogue;
  }

  ready(): Promise<void> {
    const { stdout, stderr, ended } = this.#channel;
    return new Promise((resolve, reject) => {
      let open = true;
      const settle = (tell: () => void) => {
        if (!open) return;
        open = false;
        clearTimeout(timer);
        stdout.off('data', read);
        stderr.off('data', read);
        tell();
      };
      const read = (chunk: Buffer) => {
        try {
          if (this.#read(chunk)) settle(resolve);
        } catch (error) {
          settle(() => reject(error));
        }
      };
      const timer = setTimeout(() => settle(() => reject(this.#silence())), this.#spec.timeoutMs);
      stdout.on('data', read);
      stderr.on('data', read);
      void ended.then((end) => settle(() => reject(this.#refusal(end))));
    });
  }

  /** True when the shell is ready. */
  #read(chunk: Buffer): boolean {
    this.#text = (this.#text + chunk.toString('latin1')).slice(-MAX_TEXT);
    if (this.#text.includes(this.#marker)) return true;
    const answer = this.#dialogue?.hear(this.#text);
    if (answer !== undefined) {
      this.#text = '';
      this.#channel.stdin.write(answer);
    }
    return false;
  }

  #silence(): Error {
    const { name, timeoutMs } = this.#spec;
    const seconds = timeoutMs / 1000;
    const error = this.#dialogue?.silence(this.#said(), seconds);
    return (
      error ??
      new Unreachable(`${name} gave no shell within ${seconds} seconds.`, {
        hint: 'log in by hand and see what the login scripts of the user wait for',
      })
    );
  }

  #refusal(end: ChannelEnd): Error {
    const { name } = this.#spec;
    if (end.lost) return new Unreachable(`The connection to ${name} was lost: ${end.reason}.`);
    const error = this.#dialogue?.refusal(this.#said(), end.reason);
    return (
      error ??
      new Unreachable(`${name} gives the user no shell: ${this.#said() || end.reason}`, {
        hint: 'give the user a login shell (not nologin) and keep its login scripts from ending it',
      })
    );
  }

  #said(): string {
    return Buffer.from(this.#text, 'latin1').toString().trim();
  }
}
