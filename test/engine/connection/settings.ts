/** Connections of the tests: to this machine, directly and through sshd. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from '../../../src/engine/connection/connect.ts';
import type {
  Connection,
  ConnectionSettings,
  Shell,
} from '../../../src/engine/connection/connection.ts';
import type { Sshd } from '../../support/sshd.ts';

/** Settings for this machine, as the user of the tests. */
export const LOCAL: ConnectionSettings = {
  transport: 'local',
  name: 'here',
  address: 'localhost',
  hostKeyChecking: 'strict',
  connectTimeoutMs: 60_000,
  retries: 0,
  sshArgs: [],
  shell: '/bin/sh',
};

/** Settings for a test server: root by key, host keys from the server's own known_hosts, no configuration of this machine. */
export function sshSettings(
  sshd: Sshd,
  changes: Partial<ConnectionSettings> = {},
): ConnectionSettings {
  return {
    ...LOCAL,
    transport: 'ssh',
    name: 'web1',
    address: '127.0.0.1',
    port: sshd.port,
    user: 'root',
    privateKeyFile: sshd.keyFile,
    sshArgs: sshArgs(sshd.knownHostsFile),
    ...changes,
  };
}

/** Arguments that keep ssh away from the files and the agent of whoever runs the tests. */
export function sshArgs(knownHostsFile: string, more: readonly string[] = []): string[] {
  const options = [
    `UserKnownHostsFile=${knownHostsFile}`,
    'GlobalKnownHostsFile=/dev/null',
    'IdentityAgent=none',
  ];
  return ['-F', 'none', ...[...options, ...more].flatMap((option) => ['-o', option])];
}

/** Does something with a connection and closes it. */
export async function connected<T>(
  settings: ConnectionSettings,
  work: (shell: Shell, connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(settings);
  try {
    return await work(await connection.shell(), connection);
  } finally {
    await connection.close();
  }
}

/** What a promise is rejected with. Fails when it is not. */
export async function rejection(
  promise: Promise<unknown>,
): Promise<Error & Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return error as Error & Record<string, unknown>; // Everything that we throw is an Error.
  }
  throw new Error('nothing was thrown');
}

/** Waits until a process has ended; one that was killed may still be on its way out when its streams are closed. */
export async function gone(pid: number): Promise<void> {
  while (isRunning(pid)) await wait(20);
}

/** True while the process runs; one that has ended and is not yet collected does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
