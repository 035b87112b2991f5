import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CACHE, cached } from '../cache.ts';
import { type CommandResult, mustRun, runCommand } from '../run-command.ts';

/** How a test machine is reached. */
export interface NodeAccess {
  readonly address: string;
  readonly port: number;
  readonly user: 'root';
  readonly keyFile: string;
  /** Holds the machine's true host keys, and nothing else. */
  readonly knownHostsFile: string;
}

/** A running Debian machine that only a test uses. */
export interface TestNode extends NodeAccess {
  /** Its host name. */
  readonly name: string;
  /** Runs a shell command as root over ssh; resolves whatever its exit code. */
  exec(command: string): Promise<CommandResult>;
  /** Restarts it and resolves when ssh answers again. */
  reboot(): Promise<void>;
  /** Ends it at once and removes everything it wrote. */
  stop(): Promise<void>;
  /**
   * For a machine with a firmware: the kernel's command line with which it would have started again after each write to
   * the partition of its firmware so far, each as often as it changed; `none` where the firmware would have found none.
   */
  bootLines?(): Promise<string[]>;
}

/** A key pair for root on every test machine; gives the private key's path. */
export async function nodeKey(): Promise<string> {
  return cached('node-key', async (path) => {
    await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'tsprov-test', '-f', path]);
    await mustRun('mv', [`${path}.pub`, join(CACHE, 'node-key.pub')]);
  });
}

/** What a machine is given to greet: an emulated one takes many seconds where the computer is busy. */
const GREETING_SECONDS = 120;
/** The same where it is asked again and again. */
const ATTEMPT_SECONDS = 20;

/** Arguments with which the system's `ssh` reaches a machine, without reading the user's own configuration. */
export function sshArguments(node: NodeAccess, greetingSeconds = GREETING_SECONDS): string[] {
  const options = [
    'BatchMode=yes',
    `UserKnownHostsFile=${node.knownHostsFile}`,
    'GlobalKnownHostsFile=/dev/null',
    `ConnectTimeout=${greetingSeconds}`,
    'LogLevel=ERROR',
  ].flatMap((option) => ['-o', option]);
  return ['-F', 'none', '-i', node.keyFile, '-o', `Port=${node.port}`, ...options];
}

/** Copies a file or a folder with what is in it to a path of a machine that is not there yet. */
export async function copyTo(node: NodeAccess, source: string, path: string): Promise<void> {
  const destination = `${node.user}@${node.address}:${path}`;
  await mustRun('scp', ['-q', '-r', ...sshArguments(node), source, destination]);
}

/** Runs a shell command on a machine over the system's `ssh`. */
export function sshRun(
  node: NodeAccess,
  command: string,
  greetingSeconds?: number,
): Promise<CommandResult> {
  const destination = `${node.user}@${node.address}`;
  return runCommand('ssh', [...sshArguments(node, greetingSeconds), destination, '--', command], {
    input: '',
  });
}

/** Restarts a machine and waits until it answers in a boot of another id, and has started everything. */
export async function rebootOver(node: NodeAccess, timeoutMs: number): Promise<void> {
  const before = await bootId(node);
  await sshRun(node, 'systemctl reboot');
  await waitUntil(
    async () => {
      const now = await bootId(node);
      return now !== '' && now !== before;
    },
    timeoutMs,
    `${node.address} did not come back`,
  );
  await untilStarted(node);
}

/** Resolves when ssh answers. Throws after `timeoutMs`. */
export function waitForSsh(node: NodeAccess, timeoutMs: number): Promise<void> {
  const answers = async () => (await sshRun(node, 'true', ATTEMPT_SECONDS)).code === 0;
  return waitUntil(answers, timeoutMs, `ssh on ${node.address}:${node.port} does not answer`);
}

/** Resolves when a machine that answers has started everything else, too. */
export async function untilStarted(node: NodeAccess): Promise<void> {
  await sshRun(node, 'systemctl is-system-running --wait');
}

/** Asks until the answer is yes. Throws with `complaint` after `timeoutMs`. */
export async function waitUntil(
  ask: () => Promise<boolean>,
  timeoutMs: number,
  complaint: string,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await ask())) {
    if (Date.now() > deadline) throw new Error(`${complaint} within ${timeoutMs} ms`);
    await delay(100);
  }
}

async function bootId(node: NodeAccess): Promise<string> {
  const { stdout } = await sshRun(node, 'cat /proc/sys/kernel/random/boot_id', ATTEMPT_SECONDS);
  return stdout.trim();
}
