/** What answers the questions of the ssh command. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Unreachable } from '../../shared/errors.ts';
import { quote } from '../../shared/shell.ts';
import type { ConnectionSettings } from './connection.ts';
import type { ConnectFailure } from './ssh-failure.ts';
import { askPassphrase } from './ssh-passphrase.ts';

/** Answers for one connection. The secrets themselves are only in the environment of the ssh process. */
export class Askpass {
  readonly #settings: ConnectionSettings;
  /** Passphrases by key file, from the person at the terminal. */
  readonly #answers = new Map<string, string>();

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** Writes the program that ssh asks into a directory of the attempt; gives its path. */
  async install(dir: string): Promise<string> {
    const file = join(dir, 'askpass');
    await writeFile(file, this.#program(dir), { mode: 0o700 });
    return file;
  }

  environment(): NodeJS.ProcessEnv {
    const { password, privateKeyPassphrase } = this.#settings;
    const answers = [...this.#answers.values()].map((answer, i) => [`TSPROV_KEY_${i}`, answer]);
    return {
      ...Object.fromEntries(answers),
      ...(password !== undefined && { TSPROV_LOGIN_PASSWORD: password }),
      ...(privateKeyPassphrase !== undefined && { TSPROV_KEY_PASSPHRASE: privateKeyPassphrase }),
    };
  }

  /**
   * After an attempt that failed: asks the person for the passphrase of the first key that ssh could not open. Throws
   * the failure, with more to it, where that does not help.
   */
  async learn(dir: string, failure: ConnectFailure): Promise<void> {
    const asked = await readFile(join(dir, 'asked'), 'utf8').catch(() => '');
    const file = /'(.+)'/.exec(asked)?.[1];
    const { prompt } = this.#settings;
    if (file !== undefined && prompt !== undefined) {
      this.#answers.set(file, await askPassphrase(prompt, file));
      return;
    }
    if (file === undefined && this.#answers.size === 0) throw failure;
    const why =
      file === undefined
        ? `tried with the passphrase given for "${[...this.#answers.keys()].join('", "')}"`
        : `"${file}" is locked by a passphrase, and there is no terminal to ask for it`;
    throw new Unreachable(`${failure.message} (${why})`, {
      hint: 'unlock the key with ssh-add, or set ansible_private_key_passphrase',
    });
  }

  #program(dir: string): string {
    const keys = [...this.#answers.keys()].map(
      (file, i) => `  *assphrase*${quote(`'${file}'`)}*) printf '%s\\n' "$TSPROV_KEY_${i}";;`,
    );
    const others =
      this.#settings.privateKeyPassphrase === undefined
        ? `printf '%s\\n' "$1" >>${quote(join(dir, 'asked'))}; exit 1`
        : `printf '%s\\n' "$TSPROV_KEY_PASSPHRASE"`;
    return `#!/bin/sh
case $1 in
${keys.join('\n')}
  *assphrase*) ${others};;
  *assword*) printf '%s\\n' "$TSPROV_LOGIN_PASSWORD";;
  *) echo no;;
esac
`;
  }
}
