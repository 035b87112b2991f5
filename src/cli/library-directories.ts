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
  return existing([
    ...named.flatMap((each) => each.split(delimiter)).filter((each) => each !== ''),
    ...foldersNamed('library', playbookDirs, settings),
    ...settings.library,
  ]);
}

/** Directories of plugins of a kind: beside each playbook, and those of every role within reach. */
export function pluginDirectories(
  kind: 'action' | 'lookup',
  playbookDirs: readonly string[],
  { settings }: Pick<Named, 'settings'>,
): string[] {
  return existing(foldersNamed(`${kind}_plugins`, playbookDirs, settings));
}

function existing(directories: readonly string[]): string[] {
  return [...new Set(directories.map((directory) => resolve(directory)))].filter(isDirectory);
}

function foldersNamed(
  name: string,
  playbookDirs: readonly string[],
  { rolesPath }: Named['settings'],
): string[] {
  const roles = [...playbookDirs.map((directory) => join(directory, 'roles')), ...rolesPath];
  return [
    ...playbookDirs.map((directory) => join(directory, name)),
    ...roles.flatMap(entriesOf).map((role) => join(role, name)),
  ];
}

function entriesOf(directory: string): string[] {
  if (!isDirectory(directory)) return [];
  return readdirSync(directory)
    .sort()
    .map((entry) => join(directory, entry));
}

/** False also below what is no directory: every entry beside a role is taken for one. */
function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
