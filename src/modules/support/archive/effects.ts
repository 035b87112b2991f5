/** What unpacking an archive leaves behind, for later tasks of a check run. */
import { posix } from 'node:path';
import {
  type Effect,
  type Ownership,
  type PathState,
  resolveAttributes,
} from '../../../engine/module.ts';
import type { UnarchiveArgs } from './args.ts';
import type { ArchiveEntry } from './entry.ts';
import type { UnarchiveState } from './probe.ts';

/** Everything that is unpacked, with the directories that only the names of others tell of. */
export function unpackedEffects(state: UnarchiveState, args: UnarchiveArgs): Effect[] {
  const because = `what is in ${args.src}`;
  if (state.isForeseen === true) {
    return [
      { kind: 'other', name: because, makesFiles: true },
      { kind: 'unknown-path', name: args.dest, because, below: true },
    ];
  }
  const above = state.missing.map((path) =>
    pathEffect(posix.join(args.dest, path), 'directory', made(state, args, 0o755)),
  );
  const unpacked = state.paths.flatMap((path, i): Effect[] => {
    if (path === '') return [];
    const name = posix.join(args.dest, path);
    const entry = state.entries?.[i];
    if (entry !== undefined) return [entryEffect(name, entry, state, args)];
    const isDirectory = state.names[i]?.endsWith('/') === true;
    if (isDirectory) return [pathEffect(name, 'directory', made(state, args, 0o755))];
    return [{ kind: 'unknown-path', name, because, exists: true }];
  });
  return [...above, ...unpacked];
}

function entryEffect(
  name: string,
  entry: ArchiveEntry,
  state: UnarchiveState,
  args: UnarchiveArgs,
): Effect {
  const { type, target, sha1, size, mtime = 0 } = entry;
  if (type === 'other' || type === 'hard') {
    return { kind: 'unknown-path', name, because: `what is in ${args.src}`, exists: true };
  }
  const ownership = made(state, args, entry.mode ?? 0o644, entry);
  const isLink = type === 'link' && target !== undefined;
  const effect = pathEffect(name, type, isLink ? { ...ownership, mode: 0o777 } : ownership);
  const more = { size, mtime, ...(isLink && { target }), ...(sha1 && { checksum: sha1 }) };
  return { ...effect, state: { ...effect.state, ...more } };
}

/** Who owns what is unpacked, and its mode: root gives both as the archive has them, unless the task says otherwise. */
function made(
  { facts, handler }: UnarchiveState,
  args: UnarchiveArgs,
  mode: number,
  entry: Partial<ArchiveEntry> = {},
): Ownership {
  const { maker, umask } = facts;
  const isZip = handler === 'ZipArchive';
  const isExact = maker.uid === 0 && !isZip;
  const { uid = maker.uid, gid = maker.gid, owner = String(uid), group = String(gid) } = entry;
  const base = {
    ...(isExact ? { uid, gid, owner, group } : maker),
    mode: isExact ? mode : isZip ? mode & 0o777 : mode & 0o777 & ~umask,
  };
  const { mode: wanted, owner: newOwner, group: newGroup } = args;
  return resolveAttributes('file', base, { mode: wanted, owner: newOwner, group: newGroup }, facts);
}

function pathEffect(
  name: string,
  type: PathState['type'],
  ownership: Ownership,
): Extract<Effect, { kind: 'path' }> & { readonly state: PathState } {
  const state = {
    ...{ path: name, type, ...ownership, size: 0, inode: 0, device: 0 },
    ...{ links: type === 'directory' ? 2 : 1, atime: 0, mtime: 0, ctime: 0 },
  };
  return { kind: 'path', name, state };
}
