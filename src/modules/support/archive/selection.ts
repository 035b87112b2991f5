/** Which entries of an archive a task is about, and what they are called on the host. */
import { posix } from 'node:path';
import { TaskError } from '../../../engine/module.ts';
import { matchesGlob } from '../../../shared/glob.ts';
import type { ArchiveEntry, Handler } from './entry.ts';

export interface Choice {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly extraOptions: readonly string[];
}

/** An entry, and its path below the destination (empty for the destination itself). */
export interface Chosen {
  readonly entry: ArchiveEntry;
  readonly path: string;
}

/** The entries that are unpacked. Throws TaskError on options whose effect on names is not known here. */
export function chooseEntries(
  entries: readonly ArchiveEntry[],
  handler: Handler,
  choice: Choice,
): Chosen[] {
  const strip = stripped(choice.extraOptions);
  const isWanted = handler === 'ZipArchive' ? zipWants(choice) : tarWants(choice);
  const wanted = entries.filter(({ name }) => isWanted(name));
  return wanted.flatMap((entry) => {
    const parts = entry.name.split('/').filter((part) => part !== '');
    if (parts.includes('..') || (strip > 0 && parts.length <= strip)) return [];
    const path = posix.join('.', ...parts.slice(strip));
    return [{ entry, path: path === '.' ? '' : path }];
  });
}

const FLAG_WITHOUT_NAMES =
  /^-(?:-(?:no-same-owner|same-owner|no-same-permissions|same-permissions|preserve-permissions|numeric-owner|overwrite|verbose|touch|no-overwrite-dir|delay-directory-restore|warning=.*)|[opvmnU]+)$/;

/** How many leading parts of names go. */
function stripped(options: readonly string[]): number {
  let strip = 0;
  for (const [i, option] of options.entries()) {
    const [, given] = /^--strip(?:-components)?(?:=(\d+))?$/.exec(option) ?? [];
    if (/^--strip(-components)?(=\d+)?$/.test(option)) strip = Number(given ?? options[i + 1]);
    else if (/^\d+$/.test(option) && /^--strip(-components)?$/.test(options[i - 1] ?? '')) continue;
    else if (!FLAG_WITHOUT_NAMES.test(option)) throw unforeseeable(option);
  }
  return strip;
}

function unforeseeable(option: string): TaskError {
  return new TaskError(`what "${option}" does to an archive of this machine cannot be foreseen`, {
    hint: 'copy the archive to the host and set "remote_src: true"',
  });
}

/** Like tar: names to include are exact or a directory above, globs to exclude match any part. */
function tarWants({ include, exclude }: Choice): (name: string) => boolean {
  const plain = (name: string) => name.replace(/\/$/, '');
  const isBelow = (name: string, top: string) => name === top || name.startsWith(`${top}/`);
  return (name) => {
    const isIn = include.length === 0 || include.some((top) => isBelow(plain(name), plain(top)));
    return isIn && !exclude.some((glob) => isExcluded(plain(name), plain(glob)));
  };
}

function isExcluded(name: string, glob: string): boolean {
  const parts = name.split('/');
  return parts.some((_, from) =>
    parts.some((_part, to) => to >= from && matchesGlob(parts.slice(from, to + 1).join('/'), glob)),
  );
}

/** Like unzip: globs over whole names. */
function zipWants({ include, exclude }: Choice): (name: string) => boolean {
  return (name) =>
    (include.length === 0 || include.some((glob) => matchesGlob(name, glob))) &&
    !exclude.some((glob) => matchesGlob(name, glob));
}
