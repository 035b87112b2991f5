/** What is above a path. */
import { posix } from 'node:path';
import type { Reader } from '../../engine/module.ts';

export interface Parents {
  /** Directories that are not there, topmost first. */
  readonly missing: readonly string[];
  /** The topmost thing that is no directory, nor leads to one. */
  readonly obstacle: string | undefined;
}

/** Directories above a path, topmost first; of a relative one, those that it names. */
function ancestors(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === '/' || parent === '.' ? [] : [...ancestors(parent), parent];
}

/** Reads what is above a path. A link to nowhere is in the way: no directory can be made in its place. */
export async function probeParents(host: Reader, path: string): Promise<Parents> {
  const above = ancestors(path);
  const states = await Promise.all(above.map((each) => host.path(each, { follow: true })));
  const missing = above.filter((_, i) => states[i] === undefined);
  const links = await Promise.all(missing.map((each) => host.path(each)));
  const obstacle =
    above.find((_, i) => (states[i]?.type ?? 'directory') !== 'directory') ??
    missing.find((_, i) => links[i] !== undefined);
  return { missing, obstacle };
}
