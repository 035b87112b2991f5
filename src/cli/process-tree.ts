/** Ends what a process has started, and what that has started in turn. */
import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';

/** A program that is told to end has so long to clean up. */
const GRACE_MS = 500;
const LOOK_EVERY_MS = 25;

/** Ids of the processes below a process; none where the system does not tell. */
export function processesBelow(root: number): number[] {
  const { stdout, status } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  if (status !== 0) return [];
  const children = new Map<number, number[]>();
  for (const line of stdout.trim().split('\n')) {
    const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const below = (pid: number): number[] =>
    (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(root);
}

/** Tells processes to end, and kills those that do not. */
export async function endProcesses(pids: readonly number[]): Promise<void> {
  let alive = pids.filter((pid) => signalled(pid, 'SIGTERM'));
  for (let waited = 0; alive.length > 0 && waited < GRACE_MS; waited += LOOK_EVERY_MS) {
    await wait(LOOK_EVERY_MS);
    alive = alive.filter((pid) => signalled(pid, 0));
  }
  for (const pid of alive) signalled(pid, 'SIGKILL');
}

function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It has ended, or is another user's.
    return false;
  }
}
