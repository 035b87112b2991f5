import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from '../run-command.ts';
import { aptOptionsFor } from './apt-options.ts';
import type { DebianSystem } from './system.ts';
import { debianTree } from './tree.ts';

/** Unpacks Debian packages into a folder without installing them, and without what they depend on. */
export async function unpackPackages(
  names: readonly string[],
  system: DebianSystem,
  folder: string,
): Promise<void> {
  const archives = `${folder}.deb`;
  await rm(archives, { recursive: true, force: true });
  for (const each of [archives, folder]) await mkdir(each, { recursive: true });
  const options = await optionsFor(system);
  await mustRun('apt-get', [...options, 'download', ...names], { cwd: archives });
  for (const file of await readdir(archives)) {
    await mustRun('dpkg-deb', ['-x', join(archives, file), folder]);
  }
  await rm(archives, { recursive: true, force: true });
}

/** The name of the package that a metapackage stands for, such as that of the newest kernel. */
export async function dependencyOf(name: string, system: DebianSystem): Promise<string> {
  const text = await mustRun('apt-cache', [...(await optionsFor(system)), 'depends', name]);
  const [, dependency] = /^ +Depends: (\S+)$/m.exec(text) ?? [];
  if (dependency === undefined) throw new Error(`the package ${name} depends on nothing`);
  return dependency;
}

/** Makes this computer's apt work with the package lists of another system. */
async function optionsFor(system: DebianSystem): Promise<string[]> {
  const [root = ''] = await debianTree([], system);
  return aptOptionsFor(root, system);
}
