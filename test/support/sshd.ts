/** A real sshd on the loopback, started for a suite. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Context } from 'mocha';
import { freePort } from './free-port.ts';
import { skipFor } from './skip.ts';

const SSHD = '/usr/sbin/sshd';

/** Skips a test or suite where this computer cannot run sshd, naming the reason. On CI it throws instead. */
export function needSshd(context: Context): void {
  skipFor(whyNoSshd(), context);
}

function whyNoSshd(): string | undefined {
  if (process.getuid?.() !== 0) return 'suites with sshd need root';
  return existsSync(SSHD) ? undefined : `${SSHD} is not installed`;
}

/** What is special about a server. */
export interface SshdOptions {
  /** Lines added to sshd_config, before the defaults: the first value of a key wins. */
  readonly config?: readonly string[];
  /** Host keys to make; the default is one ed25519 key. */
  readonly hostKeyTypes?: readonly ('ed25519' | 'rsa' | 'ecdsa')[];
  /** Another server, whose client key is taken too. */
  readonly keysOf?: Sshd;
  /** Port to listen on, a free one by default. */
  readonly port?: number;
  /** Address to listen on, 127.0.0.1 by default. */
  readonly address?: string;
}

/** A running server. `keyFile` logs in as any user; `knownHostsFile` holds the server's keys. */
export interface Sshd {
  readonly port: number;
  readonly dir: string;
  readonly keyFile: string;
  readonly knownHostsFile: string;
  /** Ends the sessions, abruptly, but not the server. */
  dropSessions(): void;
  stop(): Promise<void>;
}

/** Starts sshd on a free port and waits until it listens. Needs root. */
export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  const dir = mkdtempSync(join(tmpdir(), 'tsprov-sshd-'));
  chmodSync(dir, 0o755); // sshd reads authorized_keys as the user.
  const address = options.address ?? '127.0.0.1';
  const keyFile = makeKey(dir, 'client', 'ed25519');
  const hostKeys = (options.hostKeyTypes ?? ['ed25519']).map((type) =>
    makeKey(dir, `host_${type}`, type),
  );
  const keys = [keyFile, ...(options.keysOf === undefined ? [] : [options.keysOf.keyFile])];
  writeFileSync(join(dir, 'authorized_keys'), keys.map((file) => `${publicKey(file)}\n`).join(''));
  mkdirSync('/run/sshd', { recursive: true });
  const port = options.port ?? (await freePort());
  const config = join(dir, 'sshd_config');
  writeFileSync(config, sshdConfig({ dir, address, port, hostKeys, lines: options.config ?? [] }));
  const knownHostsFile = join(dir, 'known_hosts');
  writeFileSync(
    knownHostsFile,
    hostKeys.map((file) => `[${address}]:${port} ${publicKey(file)}\n`).join(''),
  );
  const child = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  await listening(child);
  const stop = async () => {
    await ended(child);
    rmSync(dir, { recursive: true, force: true });
  };
  return { port, dir, keyFile, knownHostsFile, dropSessions: () => dropSessions(child), stop };
}

/** Type and blob of a key pair's public half. */
export function publicKey(keyFile: string): string {
  return readFileSync(`${keyFile}.pub`, 'utf8').split(' ').slice(0, 2).join(' ').trim();
}

/** Makes a key pair named `name` in `dir`; gives the path of the private half. */
export function makeKey(dir: string, name: string, type: string, passphrase = ''): string {
  const file = join(dir, name);
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', 'test', '-f', file]);
  return file;
}

function sshdConfig(given: {
  dir: string;
  address: string;
  port: number;
  hostKeys: readonly string[];
  lines: readonly string[];
}): string {
  return [
    ...given.lines,
    `ListenAddress ${given.address}:${given.port}`,
    ...given.hostKeys.map((file) => `HostKey ${file}`),
    `AuthorizedKeysFile ${join(given.dir, 'authorized_keys')}`,
    'PidFile none',
    'UsePAM yes',
    'StrictModes no',
    'PermitRootLogin yes',
    'PrintMotd no',
    'MaxStartups 200:30:400',
    'Subsystem sftp internal-sftp',
    '',
  ].join('\n');
}

/** Resolves when sshd says that it listens. Rejects with what it said when it ends before. */
function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    if (child.stderr === null) throw new Error('sshd has no stderr');
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      if (line.includes('Server listening')) resolve();
    });
    child.once('exit', () => reject(new Error(`sshd ended: ${said.join('\n')}`)));
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    dropSessions(child);
    child.kill('SIGTERM');
  });
}

function dropSessions(child: ChildProcess): void {
  for (const pid of childrenOf(child.pid ?? -1)) {
    for (const grandchild of childrenOf(pid)) tryKill(grandchild);
    tryKill(pid);
  }
}

/** Only the server's own session processes, by name: the users' scripts must notice the loss themselves. */
function childrenOf(pid: number): number[] {
  const list = execFileSync('ps', ['-eo', 'pid=,ppid=,comm='], { encoding: 'utf8' });
  return list
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, name]) => Number(parent) === pid && name?.startsWith('sshd'))
    .map(([child]) => Number(child));
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
