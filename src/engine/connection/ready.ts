/** Waits for a shell that has just been started. */
import { Unreachable } from '../../shared/errors.ts';
import type { Channel } from './channel.ts';

/** What is answered on the way to a shell, and what it means when it does not come. */
export interface Dialogue {
  /** What to type in answer to the text so far. Throws when it is a refusal. */
  hear(text: string): string | undefined;
  /** The error for a program that ended with this text. */
  refusal(text: string, reason: string): Error;
  /** The error for a program that has said this and gives no shell in time. */
  silence(text: string, seconds: number): Error;
}

/** Text kept for messages while the shell is not ready. */
const MAX_TEXT = 16 * 1024;

/**
 * Resolves when the shell's marker has come out of `shell`; `voice` is the channel on which is asked and answered,
 * often the same. Rejects as the dialogue says, or with Unreachable when the connection breaks.
 */
export async function awaitReady(
  shell: Channel,
  voice: Channel,
  nonce: string,
  { dialogue, timeoutMs }: { readonly dialogue: Dialogue; readonly timeoutMs: number },
): Promise<void> {
  const opening = new Opening(shell, voice, nonce, dialogue);
  const timer = setTimeout(() => opening.giveUp(timeoutMs / 1000), timeoutMs);
  try {
    await opening.ready;
  } finally {
    clearTimeout(timer);
    opening.leave();
  }
}

class Opening {
  readonly ready: Promise<void>;
  readonly #marker: string;
  readonly #dialogue: Dialogue;
  readonly #voice: Channel;
  readonly #streams: readonly NodeJS.ReadableStream[];
  #text = '';
  #settle: { resolve(): void; reject(error: unknown): void } = {
    resolve: () => {},
    reject: () => {},
  };

  constructor(shell: Channel, voice: Channel, nonce: string, dialogue: Dialogue) {
    this.#marker = `\x1e${nonce}<`;
    this.#dialogue = dialogue;
    this.#voice = voice;
    this.#streams = [...new Set([shell.stdout, shell.stderr, voice.stdout, voice.stderr])];
    this.ready = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    for (const stream of this.#streams) stream.on('data', this.#read);
    for (const channel of new Set([shell, voice])) {
      void channel.ended.then((end) => {
        if (end.lost)
          this.#settle.reject(new Unreachable(`The connection was lost: ${end.reason}.`));
        else this.fail(end.reason);
      });
    }
  }

  fail(reason: string): void {
    this.#settle.reject(this.#dialogue.refusal(this.#said(), reason));
  }

  giveUp(seconds: number): void {
    this.#settle.reject(this.#dialogue.silence(this.#said(), seconds));
  }

  #said(): string {
    return Buffer.from(this.#text, 'latin1').toString().replaceAll('\r', '').trim();
  }

  leave(): void {
    for (const stream of this.#streams) stream.off('data', this.#read);
  }

  readonly #read = (chunk: Buffer): void => {
    this.#text = (this.#text + chunk.toString('latin1')).slice(-MAX_TEXT);
    if (this.#text.includes(this.#marker)) {
      this.#settle.resolve();
      return;
    }
    try {
      this.#answer(this.#dialogue.hear(this.#text));
    } catch (error) {
      this.#settle.reject(error);
    }
  };

  #answer(text: string | undefined): void {
    if (text === undefined) return;
    this.#text = '';
    this.#voice.stdin.write(text);
  }
}
