/** What is below a directory after earlier tasks of a check run. */
import { posix } from 'node:path';
import type { Effect, PathState } from '../../../engine/module.ts';
import type { Listed, Listing } from './listing.ts';

/** A listing below a directory as it would be after earlier tasks of a check run. */
export function withPredicted(
  listing: Listing,
  dest: string,
  predicted: readonly Extract<Effect, { kind: 'path' }>[],
): Listing {
  const all = new Map(Object.entries(listing));
  for (const { name, state } of predicted) {
    const path = posix.relative(dest, name);
    for (const known of all.keys())
      if (known.startsWith(`${path}/`) && !isDirectory(state)) all.delete(known);
    if (state === undefined) all.delete(path);
    else all.set(path, listed(state));
  }
  return Object.fromEntries(all);
}

function isDirectory(state: PathState | undefined): boolean {
  return state?.type === 'directory';
}

function listed(state: PathState): Listed {
  const { mode, size, mtime, uid, gid, owner, group, target, checksum } = state;
  const type =
    state.type === 'file' || state.type === 'directory' || state.type === 'link'
      ? state.type
      : 'other';
  return {
    ...{ type, mode, size, mtime: Math.floor(mtime), uid, gid, owner, group },
    ...(target !== undefined && { target }),
    ...(checksum !== undefined && { sha1: checksum }),
  };
}
