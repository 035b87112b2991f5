import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mustRun } from './run-command.ts';

/** Folder for what takes long to make and outlives a run: `tsprov-test` in the user's cache. */
export const CACHE = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'tsprov-test',
);

/**
 * Gives the path of a file or folder in the cache, made by `build` where it is not there yet. Only one process
 * builds at a time; the others wait for it. A build that failed leaves nothing behind.
 */
export async function cached(
  name: string,
  build: (path: string) => Promise<void>,
): Promise<string> {
  const path = join(CACHE, name);
  if (await exists(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  return withLock(`${path}.lock`, async () => {
    if (await exists(path)) return path;
    const unfinished = `${path}.new`;
    await removeTree(unfinished);
    await sayHowLong(name, () => build(unfinished));
    await rename(unfinished, path);
    return path;
  });
}

/** Builds something and says on standard error what it was and how long it took: CI shows where its time goes. */
export async function sayHowLong(name: string, build: () => Promise<void>): Promise<void> {
  const startMs = Date.now();
  await build();
  process.stderr.write(`built ${name} in ${Math.round((Date.now() - startMs) / 1000)} s\n`);
}

/** Removes a folder with what is in it, from which a process that was killed may not have unmounted what it mounted. */
export async function removeTree(path: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n');
  const places = mounts.map((line) => line.split(' ')[1] ?? '');
  for (const place of places.filter((each) => each.startsWith(`${path}/`)).reverse()) {
    await mustRun('umount', [place]);
  }
  await rm(path, { recursive: true, force: true });
}

/** Runs `work` while no other process holds the same lock. A lock whose owner has died is taken over. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const release = await takeLock(path);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Takes a lock as soon as no other process holds it; gives what lets go of it. */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  while (!(await tryLock(path))) await delay(200);
  return () => rm(path, { force: true });
}

/** Takes a lock file for this process, or says false where a living process holds it. */
export async function tryLock(path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  const mine = `${path}.${process.pid}-${randomUUID()}`;
  // Whole from the start: a process may die, or look, at any moment.
  await writeFile(mine, String(process.pid));
  try {
    await link(mine, path);
    return true;
  } catch {
    await removeOfDead(path, mine);
    return false;
  } finally {
    await rm(mine, { force: true });
  }
}

/** Removes a lock whose owner has died, and no other: somebody else may have removed it and taken it since. */
async function removeOfDead(path: string, aside: string): Promise<void> {
  const owner = Number(await readFile(path, 'utf8').catch(() => '0'));
  if (owner === 0 || isAlive(owner)) return;
  const moved = `${aside}-dead`;
  try {
    await rename(path, moved);
    if (isAlive(Number(await readFile(moved, 'utf8')))) await link(moved, path);
  } catch {
    // It has gone already.
  } finally {
    await rm(moved, { force: true });
  }
}

/** Whether a process of this id runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether something is at the path. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
