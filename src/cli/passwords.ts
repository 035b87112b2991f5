/** Passwords of connections and become: asked for, or read from files and scripts. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Settings } from '../engine/config/config-settings.ts';
import { askSecret } from './ask.ts';
import { OptionError } from './option-error.ts';
import type { ConnectionFlags } from './options.ts';

export interface Passwords {
  readonly login: string | undefined;
  readonly become: string | undefined;
}

/** Asks for the passwords that flags and configuration want asked, and reads those in files. Throws InvalidInput. */
export async function readPasswords(
  flags: ConnectionFlags,
  settings: Settings,
): Promise<Passwords> {
  const { connectionPasswordFile, becomePasswordFile } = flags;
  refuseBoth(flags.askPass, connectionPasswordFile, '--ask-pass', '--connection-password-file');
  refuseBoth(
    flags.askBecomePass,
    becomePasswordFile,
    '--ask-become-pass',
    '--become-password-file',
  );
  const login = await passwordOf(
    flags.askPass ?? (connectionPasswordFile === undefined && settings.askPass),
    connectionPasswordFile ?? settings.connectionPasswordFile,
    'SSH password: ',
  );
  const become = await passwordOf(
    flags.askBecomePass ?? (becomePasswordFile === undefined && settings.becomeAskPass),
    becomePasswordFile ?? settings.becomePasswordFile,
    `BECOME password${login === undefined ? '' : '[defaults to SSH password]'}: `,
  );
  return { login, become: become === '' ? login : become };
}

function refuseBoth(
  ask: boolean | undefined,
  file: string | undefined,
  ...[one, other]: [string, string]
): void {
  if (ask === true && file !== undefined)
    throw new OptionError(`${one} and ${other} do not go together`, 'give one of them');
}

async function passwordOf(
  ask: boolean,
  file: string | undefined,
  question: string,
): Promise<string | undefined> {
  if (ask) return await askSecret(question);
  return file === undefined ? undefined : readPassword(resolve(file));
}

function readPassword(file: string): string {
  try {
    const text = isProgram(file)
      ? execFileSync(file, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] })
      : readFileSync(file, 'utf8');
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    throw new OptionError(`the password file ${file} gives no password: ${String(error)}`);
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
