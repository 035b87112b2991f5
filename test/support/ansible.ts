import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE, exists, sayHowLong, withLock } from './cache.ts';
import { mustRun, runCommand } from './run-command.ts';

const PYTHONS = ['python3.13', 'python3.12', 'python3.11', 'python3'];

/**
 * The `bin` folder of a virtual environment with the newest ansible-core 2.19 and the Mitogen strategy, made at
 * the first call and cached. Only tests and measurements run it.
 */
export function ansibleBin(): Promise<string> {
  return virtualEnvironment('ansible-2.19', ['ansible-core==2.19.*', 'mitogen>=0.3.54', 'passlib']);
}

/** The `bin` folder of a virtual environment with pyinfra, to measure beside. */
export function pyinfraBin(): Promise<string> {
  return virtualEnvironment('pyinfra', ['pyinfra']);
}

/** A virtual environment cannot be moved once made, so it is built in place and marked when complete. */
async function virtualEnvironment(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(CACHE, name);
  const ready = join(folder, 'ready');
  if (await exists(ready)) return join(folder, 'bin');
  return withLock(`${folder}.lock`, async () => {
    if (await exists(ready)) return join(folder, 'bin');
    await sayHowLong(name, async () => {
      await rm(folder, { recursive: true, force: true });
      await mustRun(await python(), ['-m', 'venv', folder]);
      await mustRun(join(folder, 'bin/pip'), ['install', '-q', ...packages]);
      await writeFile(ready, '');
    });
    return join(folder, 'bin');
  });
}

/** The first Python of 3.11 or later. */
async function python(): Promise<string> {
  for (const name of PYTHONS) {
    const check = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))';
    if ((await runCommand(name, ['-c', check])).code === 0) return name;
  }
  throw new Error('ansible-core 2.19 needs Python 3.11 with venv: apt-get install python3-venv');
}
