import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionSettings } from '../../src/engine/connection/connection.ts';
import { HostConnection } from '../../src/engine/connection/host-connection.ts';
import { localTransport } from '../../src/engine/connection/local.ts';
import type { PredictedState } from '../../src/engine/host/predicted.ts';
import { HostWriter, type WriterOptions } from '../../src/engine/host/writer.ts';
import { sh } from '../../src/shared/shell.ts';

/** This machine as a managed host: a real shell, and a directory that goes when the host is closed. */
export interface LocalHost {
  readonly connection: HostConnection;
  /** A directory of the test's own, with a home directory beside it. */
  readonly directory: string;
  readonly home: string;
  /** What every task's environment has: that home, and where the tools are. */
  readonly environment: Readonly<Record<string, string>>;
  /** A writer for one task. */
  writer(options?: Partial<WriterOptions> & { predicted?: PredictedState }): Promise<HostWriter>;
  close(): Promise<void>;
}

/** Tools that a managed host may have. */
export type Toolset = 'gnu' | 'bash' | 'busybox';

const SHELLS = { gnu: '/bin/sh', bash: '/bin/bash', busybox: '' };

/** Opens this machine; with `busybox`, its shell and every tool are busybox's. With `home`, a home that is there already. */
export async function openLocalHost(
  toolset: Toolset = 'gnu',
  options: { readonly home?: string } = {},
): Promise<LocalHost> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tsprov-test-')));
  const [directory, home] = [join(root, 'work'), options.home ?? join(root, 'home')];
  for (const each of [directory, home]) mkdirSync(each, { recursive: true });
  const tools = toolset === 'busybox' ? busyboxTools(join(root, 'bin')) : undefined;
  const connection = new HostConnection(
    settings(homeShell(root, home, tools === undefined ? SHELLS[toolset] : join(tools, 'sh'))),
    localTransport(),
    async () => localTransport(),
  );
  const environment = { HOME: home, ...(tools !== undefined && { PATH: tools }) };
  return {
    connection,
    directory,
    home,
    environment,
    writer: async (options = {}) =>
      new HostWriter({
        name: 'here',
        shell: await connection.shell(),
        gatherFacts: async () => new Map(),
        ...options,
        environment: { ...environment, ...options.environment },
      }),
    close: async () => {
      await connection.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A shell that is at home in the test's own directory. */
function homeShell(root: string, home: string, shell: string): string {
  const path = join(root, 'login-shell');
  const lines = ['#!/bin/sh', sh`HOME=${home}; export HOME; exec ${shell} "$@"`.line, ''];
  writeFileSync(path, lines.join('\n'), { mode: 0o755 });
  return path;
}

function settings(shell: string): ConnectionSettings {
  return {
    transport: 'local',
    name: 'here',
    address: 'localhost',
    hostKeyChecking: 'strict',
    connectTimeoutMs: 60_000,
    retries: 0,
    sshArgs: [],
    shell,
  };
}

/** A directory in which every applet is busybox, and nothing else is. */
function busyboxTools(directory: string): string {
  mkdirSync(directory);
  const applets = execFileSync('busybox', ['--list'], { encoding: 'utf8' }).trim().split('\n');
  for (const applet of applets) symlinkSync('/bin/busybox', join(directory, applet));
  return directory;
}

/** Names that a careless shell script would stumble over. */
export const HOSTILE_NAMES: readonly string[] = [
  'two words',
  "it's",
  'say "hi"',
  'two\nlines',
  'ends in newline\n',
  '$(id)',
  '`id`',
  '$HOME',
  '-rf',
  '--help',
  '*',
  '~',
  'back\\slash',
  'semi;colon & pipe|',
  'ümläut ✓',
  '%s',
];
