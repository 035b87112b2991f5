import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, tryLock } from '../cache.ts';
import { runCommand } from '../run-command.ts';

const FOLDER = join(tmpdir(), 'tsprov-nodes');
const LAST_SLOT = 250;

/** A number that no other running node has, with a folder of its own. */
export interface Slot {
  readonly number: number;
  readonly folder: string;
}

/** Takes a free slot. What nodes of processes that died left behind is removed on the way. */
export async function claimSlot(): Promise<Slot> {
  for (let number = 1; number <= LAST_SLOT; number++) {
    const folder = join(FOLDER, String(number));
    if (await claim(folder)) return { number, folder };
  }
  throw new Error(`every folder of ${FOLDER} belongs to a running test process`);
}

/** Ends what runs in a slot, unmounts its file system and empties its folder for the next owner. */
export async function releaseSlot({ folder }: Slot): Promise<void> {
  await clear(folder);
  await rm(join(folder, 'owner'), { force: true });
}

/** Removes what dead processes left in any slot. */
export async function sweepSlots(): Promise<void> {
  for (const name of await readdir(FOLDER).catch(() => [])) {
    const folder = join(FOLDER, name);
    const owner = Number(await readFile(join(folder, 'owner'), 'utf8').catch(() => '0'));
    if (owner === 0 || isAlive(owner)) continue;
    // Another process may sweep at the same time: only the one that gets the slot empties it.
    if (await claim(folder)) await releaseSlot({ number: Number(name), folder });
  }
}

/** Notes the process that keeps the slot's node alive, so that a later run can end it. */
export function notePid({ folder }: Slot, pid: number): Promise<void> {
  return writeFile(join(folder, 'pid'), String(pid));
}

async function claim(folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  const owner = join(folder, 'owner');
  // The first try may have done no more than remove the lock of a dead process.
  const taken = (await tryLock(owner)) || (!existsSync(owner) && (await tryLock(owner)));
  if (taken) await clear(folder);
  return taken;
}

async function clear(folder: string): Promise<void> {
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => '0'));
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  // The process id may long be another program's.
  if (pid > 1 && commandLine.includes(folder)) await endTree(pid);
  await runCommand('umount', ['-R', '-l', join(folder, 'root')]);
  for (const name of await readdir(folder).catch(() => [])) {
    if (name !== 'owner') await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Kills the children first: a container's first process takes all others of the container with it. */
async function endTree(pid: number): Promise<void> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  for (const child of children.split(' ').filter(Boolean)) kill(Number(child));
  const deadline = Date.now() + 20_000;
  while (isAlive(pid) && Date.now() < deadline) await new Promise((done) => setTimeout(done, 20));
  kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
