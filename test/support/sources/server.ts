/** Real servers of tests: each in a directory of its own, on loopback, as the user that it asks for. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '../run-command.ts';

/** A user of this computer; undefined: the one who runs the tests. */
type Owner = { readonly uid: number; readonly gid: number } | undefined;

/** A directory for one server, gone after `remove`. */
export interface ServerDirectory {
  readonly path: string;
  readonly owner: Owner;
  /** Writes a file that only the server's user reads; gives its path. */
  write(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Tried until it no longer throws. */
  readonly probe: () => Promise<unknown>;
}

export interface RunningServer {
  /** Ends the process and waits until it has gone. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 40_000;

/** Why a server cannot run here: a program that is not installed. */
export function whyNot(programs: readonly string[], packageName: string): string | undefined {
  const missing = programs.find((program) => findProgram(program) === undefined);
  return missing === undefined
    ? undefined
    : `${missing} is missing: apt-get install --no-install-recommends ${packageName}`;
}

/** The path of a program; Debian keeps some out of PATH. */
export function findProgram(name: string): string | undefined {
  if (name.startsWith('/')) return existsSync(name) ? name : undefined;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** @param user Owns the directory where the tests run as root, for servers that refuse root. */
export async function makeServerDirectory(name: string, user?: string): Promise<ServerDirectory> {
  const owner = user === undefined || process.getuid?.() !== 0 ? undefined : ownerOf(user);
  const path = await mkdtemp(join(tmpdir(), `tsprov-${name}-`));
  if (owner !== undefined) await chown(path, owner.uid, owner.gid);
  return {
    path,
    owner,
    async write(file, text) {
      const target = join(path, file);
      await writeFile(target, text);
      await chmod(target, 0o600);
      if (owner !== undefined) await chown(target, owner.uid, owner.gid);
      return target;
    },
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Runs a program of the server's to its end, as its user. Throws with what it said where it fails. */
export async function runAsOwner(
  { owner, path }: ServerDirectory,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const login =
    owner === undefined ? [] : [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const command = login.length === 0 ? [file, ...args] : ['setpriv', ...login, file, ...args];
  const [program = '', ...rest] = command;
  const given = { ...process.env, HOME: path, ...env };
  const { code, stdout, stderr } = await runCommand(program, rest, { cwd: path, env: given });
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${stderr || stdout}`);
  return stdout;
}

/** Starts a server and waits until it answers. Throws with what it said where it ends before that. */
export async function startServer(
  { path, owner }: ServerDirectory,
  { file, args, env = {}, probe }: Program,
): Promise<RunningServer> {
  const child = spawn(file, args, {
    cwd: path,
    env: { ...process.env, HOME: path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...owner,
  });
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  child.on('error', (error) => said.push(Buffer.from(String(error))));
  const server = { stop: () => stop(child) };
  try {
    await untilAnswers(child, probe);
    return server;
  } catch (error) {
    await server.stop();
    throw new Error(
      `${file} did not start: ${error}\n${Buffer.concat(said).toString().slice(-4000)}`,
    );
  }
}

async function untilAnswers(child: ChildProcess, probe: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (hasEnded(child)) throw new Error(`it ended with ${child.exitCode ?? child.signalCode}`);
    try {
      await probe();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(100);
    }
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const killing = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(killing);
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function ownerOf(user: string): Owner {
  const read = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}
