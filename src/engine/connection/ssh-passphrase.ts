/** Private keys and their passphrases: asked for once and opened once per run. */
import { execFile } from 'node:child_process';
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

/** The passphrase for the key of a connection: given, or asked for where the key is locked. */
export async function keyPassphrase(settings: ConnectionSettings): Promise<string | undefined> {
  const { privateKeyFile, privateKeyPassphrase, prompt } = settings;
  if (privateKeyPassphrase !== undefined || privateKeyFile === undefined || prompt === undefined) {
    return privateKeyPassphrase;
  }
  return (await isLocked(privateKeyFile)) ? askPassphrase(prompt, privateKeyFile) : undefined;
}

function isLocked(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('ssh-keygen', ['-y', '-P', '', '-f', file], (_error, _stdout, stderr) => {
      resolve(/passphrase/i.test(stderr));
    });
  });
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
