/** Bringing sources to their places on a host: what copy and template share. */
import { posix } from 'node:path';
import {
  type AttributeFacts,
  DIFF_LIMIT_BYTES,
  type FileAttributes,
  type KnownContent,
  type PathState,
  probeAttributes,
  type Reader,
} from '../../engine/module.ts';
import type { CopySource, SourceEntry } from './copy-source.ts';
import { probeParents } from './parents.ts';

/** How sources are to be placed. */
export interface CopyWish {
  readonly dest: string;
  /** The source as the task names it. */
  readonly src: string | undefined;
  readonly source: CopySource;
  /** What is copied into a directory is called so there. */
  readonly name: string | undefined;
  readonly attributes: FileAttributes;
  readonly directoryMode: unknown;
  readonly preservesMode: boolean;
  readonly force: boolean;
  readonly follow: boolean;
  readonly backup: boolean;
  readonly validate: string | undefined;
  readonly checksum: string | undefined;
}

/** One source and what is at its place. */
export interface Placed {
  readonly source: SourceEntry;
  /** Where it goes, links resolved as far as they are followed. */
  readonly path: string;
  readonly current: PathState | undefined;
}

export interface CopyNow {
  readonly dest: string;
  /** Directories above the destination that are not there, topmost first. */
  readonly missing: readonly string[];
  /** What is above the destination and is not a directory. */
  readonly obstacle: string | undefined;
  readonly facts: AttributeFacts;
  readonly placed: readonly Placed[];
  /** What is at the destination as the task names it. */
  readonly top: PathState | undefined;
  /** What is at the directory of a tree. */
  readonly tree: PathState | undefined;
}

/** Reads all places of the sources, in one round trip; a file that differs is read again for the diff. */
export async function probePlaces(host: Reader, wish: CopyWish): Promise<CopyNow> {
  const guess = destination(wish, undefined);
  const [facts, top, guessed] = await Promise.all([
    probeAttributes(host, wish.dest, wish.attributes),
    host.path(wish.dest, { follow: true }),
    probeBelow(host, wish, guess),
  ]);
  const dest = destination(wish, top);
  const found = dest === guess ? guessed : await probeBelow(host, wish, dest);
  return { dest, facts, top, ...found };
}

/** A single file goes into a directory under its own name; a directory without a final `/` always does. */
function destination({ dest, name, source }: CopyWish, top: PathState | undefined): string {
  const bare = dest.replace(/(.)\/+$/, '$1');
  const isInto = top?.type === 'directory' || dest.endsWith('/') || source.isTree;
  return isInto && name !== undefined ? posix.join(bare, name) : bare;
}

async function probeBelow(
  host: Reader,
  wish: CopyWish,
  dest: string,
): Promise<Pick<CopyNow, 'missing' | 'obstacle' | 'placed' | 'tree'>> {
  const { isTree, entries } = wish.source;
  const [placed, parents, tree] = await Promise.all([
    Promise.all(entries.map((entry) => probePlace(host, wish, dest, entry))),
    probeParents(host, isTree ? posix.join(dest, 'below') : dest),
    isTree ? host.path(dest, { follow: true }) : undefined,
  ]);
  return { placed, ...parents, tree };
}

async function probePlace(
  host: Reader,
  { follow }: CopyWish,
  dest: string,
  source: SourceEntry,
): Promise<Placed> {
  const at = posix.join(dest, source.relative);
  const [here, there] = await Promise.all([
    host.path(at),
    host.path(at, { follow: true, checksum: 'sha1' }),
  ]);
  if (here?.type !== 'link') return withContent(host, { source, path: at, current: there });
  const isDirectory = there?.type === 'directory' && source.type === 'directory';
  // A link that leads nowhere is replaced, even where links are followed; so is one by another link.
  const isFollowed = there !== undefined && source.type !== 'link' && (follow || isDirectory);
  if (!isFollowed) return withContent(host, { source, path: at, current: here });
  return withContent(host, { source, path: there.realPath ?? at, current: there });
}

/** The bytes on both sides of a small file that differs. */
async function withContent(host: Reader, placed: Placed): Promise<Placed> {
  const { source, path, current } = placed;
  const { content } = source;
  if (content === undefined || current?.checksum === content.sha1) return placed;
  const isShown = current?.type === 'file' && current.size <= DIFF_LIMIT_BYTES;
  const [old, fresh] = await Promise.all([
    isShown ? host.path(path, { content: true, checksum: 'sha1' }) : current,
    remoteBytes(host, content),
  ]);
  return { source: { ...source, content: { ...content, ...fresh } }, path, current: old };
}

async function remoteBytes(
  host: Reader,
  { content, sizeBytes }: KnownContent,
): Promise<{ readonly bytes?: Buffer }> {
  if (content.kind !== 'remote' || sizeBytes > DIFF_LIMIT_BYTES) return {};
  const bytes = (await host.path(content.path, { follow: true, content: true }))?.content;
  return bytes === undefined ? {} : { bytes };
}
