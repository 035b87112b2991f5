/** In which order a host is offered keys and passwords. */
import { readFile } from 'node:fs/promises';
import { Unreachable } from '../../shared/errors.ts';
import { askPassphrase } from './ssh-passphrase.ts';
import type { SshTarget } from './ssh-target.ts';

/** One thing to log in with. */
export type Credential =
  /** Keys of an agent; `only` names the public keys (base64) that may be used. */
  | {
      readonly kind: 'agent';
      readonly socket: string;
      readonly only: ReadonlySet<string> | undefined;
    }
  | { readonly kind: 'publickey'; readonly key: Buffer; readonly passphrase: string | undefined }
  | { readonly kind: 'keyboard-interactive' | 'password'; readonly password: string };

/** What becomes of a private key with a passphrase. */
type KeyState = 'open' | 'locked' | 'unreadable';

/** Tries to read a private key. */
export type KeyReader = (key: Buffer, passphrase: string | undefined) => KeyState;

/** Does something that takes as long as it takes. */
export type Pause = <T>(work: () => Promise<T>) => Promise<T>;

/** Offers the credentials of a host one after the other, and remembers what it offered. */
export class Login {
  /** What was offered so far, for the message when all are refused. */
  readonly offered: string[] = [];
  readonly #target: SshTarget;
  readonly #readKey: KeyReader;
  readonly #pause: Pause;
  readonly #credentials: AsyncGenerator<Credential>;

  /** `pause` stops the clock of the attempt while a person is asked. */
  constructor(target: SshTarget, readKey: KeyReader, pause: Pause) {
    this.#target = target;
    this.#pause = pause;
    this.#readKey = readKey;
    this.#credentials = this.#all();
  }

  /** The next credential of a kind that the host still takes. Throws Unreachable for a key that cannot be used. */
  async next(accepted: readonly string[]): Promise<Credential | undefined> {
    for (;;) {
      const { value, done } = await this.#credentials.next();
      if (done === true) return undefined;
      const method = value.kind === 'agent' ? 'publickey' : value.kind;
      if (accepted.includes(method) && !this.#target.without.has(method)) return value;
    }
  }

  async *#all(): AsyncGenerator<Credential> {
    const { identitiesGiven, password } = this.#target;
    const locked: { file: string; key: Buffer }[] = [];
    // A server hangs up after a few keys, so those that were asked for go before an agent full of others.
    if (!identitiesGiven) yield* this.#agent();
    yield* this.#files(locked);
    if (identitiesGiven) yield* this.#agent();
    // Asking a person comes after everything that needs none.
    for (const { file, key } of locked) yield* this.#lockedFile(file, key);
    if (password === undefined) return;
    this.offered.push('password');
    yield { kind: 'password', password };
    yield { kind: 'keyboard-interactive', password };
  }

  async *#agent(): AsyncGenerator<Credential> {
    const { agent } = this.#target;
    if (agent === undefined) return;
    this.offered.push(`keys of the agent ${agent}`);
    yield { kind: 'agent', socket: agent, only: await this.#agentKeys() };
  }

  async *#files(locked: { file: string; key: Buffer }[]): AsyncGenerator<Credential> {
    const { identityFiles, passphrase } = this.#target;
    for (const file of identityFiles) {
      const key = await readFile(file).catch((error: Error) => this.#missing(file, error));
      if (key === undefined) continue;
      const state = this.#readKey(key, passphrase);
      if (state === 'locked') locked.push({ file, key });
      if (state === 'unreadable') this.#unreadable(file, key);
      if (state !== 'open') continue;
      this.offered.push(file);
      yield { kind: 'publickey', key, passphrase };
    }
  }

  async *#lockedFile(file: string, key: Buffer): AsyncGenerator<Credential> {
    const passphrase = await this.#unlock(file, key);
    if (passphrase === undefined) return;
    this.offered.push(file);
    yield { kind: 'publickey', key, passphrase };
  }

  async #unlock(file: string, key: Buffer): Promise<string | undefined> {
    const { prompt, name, passphrase: given, identitiesGiven } = this.#target;
    if (given !== undefined && identitiesGiven) {
      throw new Unreachable(`The passphrase given for "${file}" does not open it.`, {
        hint: 'correct the passphrase, or unlock the key with ssh-add',
      });
    }
    if (prompt === undefined) {
      this.offered.push(`${file} (locked by a passphrase, and there is no terminal to ask for it)`);
      return undefined;
    }
    const passphrase = await this.#pause(() => askPassphrase(prompt, file));
    if (this.#readKey(key, passphrase) === 'open') return passphrase;
    throw new Unreachable(
      `The passphrase does not open "${file}", so ${name} cannot be entered with it.`,
      {
        hint: 'try again, or unlock the key with ssh-add',
      },
    );
  }

  #missing(file: string, error: Error): undefined {
    if (!this.#target.identitiesGiven) return undefined;
    this.offered.push(`${file} (cannot be read: ${error.message})`);
    return undefined;
  }

  #unreadable(file: string, key: Buffer): void {
    const publicHalf = key.subarray(0, 64).toString('latin1').startsWith('ssh-');
    if (!publicHalf) this.offered.push(`${file} (not a private key that this transport can read)`);
  }

  /** The public halves of the identity files, where no other key of the agent may be used. */
  async #agentKeys(): Promise<ReadonlySet<string> | undefined> {
    if (!this.#target.identitiesOnly) return undefined;
    const files = this.#target.identityFiles.flatMap((file) => [`${file}.pub`, file]);
    const texts = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
    return new Set(texts.map((text) => text.split(' ')[1] ?? ''));
  }
}
