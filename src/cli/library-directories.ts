import { existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Settings } from '../engine/config/config-settings.ts';

interface Named {
  /** What -M names: directories, or several joined by colons. */
  readonly named: readonly string[];
  readonly settings: Pick<Settings, 'library' | 'rolesPath'>;
}

/**
 * Directories that may hold modules, the strongest first: those of the command line, `library/` beside each
 * playbook, `library/` of every role within reach, those of the configuration.
 */
export function libraryDirectories(
  playbookDirs: readonly string[],
  { named, settings }: Named,
): string[] {
  const roles = [
    ...playbookDirs.map((directory) => join(directory, 'roles')),
    ...settings.rolesPath,
  ];
  const all = [
    ...named.flatMap((each) => each.split(delimiter)).filter((each) => each !== ''),
    ...playbookDirs.map((directory) => join(directory, 'library')),
    ...roles.flatMap(librariesOfRoles),
    ...settings.library,
  ];
  return [...new Set(all.map((directory) => resolve(directory)))].filter(isDirectory);
}

function librariesOfRoles(directory: string): string[] {
  if (!isDirectory(directory)) return [];
  return readdirSync(directory)
    .sort()
    .map((role) => join(directory, role, 'library'));
}

/** False also below what is no directory: every entry beside a role is taken for one. */
function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
