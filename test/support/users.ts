/** Throwaway users of this machine, for tests of logins and of becoming another user. Needs root. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';

/** What is special about a user. */
export interface UserOptions {
  /** Login shell, /bin/sh by default. */
  readonly shell?: string;
  readonly password?: string;
  /** Rules of sudo, each what follows the user's name: `ALL=(ALL) NOPASSWD: ALL`. */
  readonly sudo?: readonly string[];
  /** Defaults of sudo for this user: `requiretty`, `lecture=always`. */
  readonly sudoDefaults?: readonly string[];
}

/** A user that exists until it is removed. */
export interface TestUser {
  readonly name: string;
  readonly password: string | undefined;
  remove(): void;
}

/** Makes a user with a home directory. */
export function makeUser({
  shell = '/bin/sh',
  password,
  sudo = [],
  sudoDefaults = [],
}: UserOptions = {}): TestUser {
  const name = `tsprov-${randomBytes(4).toString('hex')}`;
  const sudoers = `/etc/sudoers.d/${name}`;
  execFileSync('useradd', ['--create-home', '--shell', shell, name], { stdio: 'pipe' });
  if (password !== undefined) execFileSync('chpasswd', { input: `${name}:${password}\n` });
  const rules = [
    ...sudo.map((rule) => `${name} ${rule}`),
    ...sudoDefaults.map((text) => `Defaults:${name} ${text}`),
  ];
  if (rules.length > 0) writeFileSync(sudoers, `${rules.join('\n')}\n`, { mode: 0o440 });
  return {
    name,
    password,
    remove: () => {
      rmSync(sudoers, { force: true });
      execFileSync('userdel', ['--force', '--remove', name], { stdio: 'pipe' });
    },
  };
}
