/** Private keys and their passphrases: asked for once and opened once per run. */
import { createHash } from 'node:crypto';
import type { ConnectionSettings } from './connection.ts';

type Prompt = NonNullable<ConnectionSettings['prompt']>;

/** Answers by key file, for each way to ask: a hundred hosts with one key ask once. */
const answers = new WeakMap<Prompt, Map<string, Promise<string>>>();

/** The passphrase of a key file, from the person at the terminal. */
export function askPassphrase(prompt: Prompt, file: string): Promise<string> {
  const known = answers.get(prompt) ?? new Map<string, Promise<string>>();
  answers.set(prompt, known);
  const answer = known.get(file) ?? prompt(`Passphrase for ${file}: `);
  known.set(file, answer);
  return answer;
}

/** A reader of keys that remembers: opening a locked key takes most of a second of computing, for every host. */
export function rememberKeys<T>(
  read: (key: Buffer, passphrase: string | undefined) => T,
): (key: Buffer, passphrase: string | undefined) => T {
  const known = new Map<string, T>();
  return (key, passphrase) => {
    const id = createHash('sha256').update(key).update(`\0${passphrase}`).digest('hex');
    const value = known.get(id) ?? read(key, passphrase);
    known.set(id, value);
    return value;
  };
}
