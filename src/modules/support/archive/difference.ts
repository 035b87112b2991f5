/** Whether what is on the host is what an archive would make of it. Pure. */
import { wantedMode } from '../../../engine/module.ts';
import type { ArchiveEntry } from './entry.ts';
import type { Listed, Listing } from './listing.ts';
import type { Chosen } from './selection.ts';

export interface Terms {
  readonly keepNewer: boolean;
  /** The task sets these itself, so those of the archive do not count. */
  readonly mode: unknown;
  readonly owner: number | undefined;
  readonly group: number | undefined;
  /** Root gives files their owner and exact mode; others do not. */
  readonly isRoot: boolean;
  readonly umask: number;
  readonly isZip: boolean;
  readonly options: readonly string[];
}

/** What differs, one line per entry: the name and a word for what it is. */
export function differences(chosen: readonly Chosen[], listing: Listing, terms: Terms): string[] {
  const seen = new Map(chosen.map((each) => [each.path, each]));
  const hashes = new Map(chosen.map(({ entry }) => [entry.name, entry.sha1]));
  return [...seen.values()].flatMap(({ entry, path }) => {
    if (path.includes('\n')) return [];
    const word = difference(resolved(entry, hashes), listing[path || '.'], terms);
    return word === undefined ? [] : [`${entry.name}: ${word}`];
  });
}

/** A hard link is a file with the content of another. */
function resolved(
  entry: ArchiveEntry,
  hashes: ReadonlyMap<string, string | undefined>,
): ArchiveEntry {
  if (entry.type !== 'hard') return entry;
  return { ...entry, type: 'file', sha1: hashes.get(entry.target ?? '') };
}

function difference(
  entry: ArchiveEntry,
  now: Listed | undefined,
  terms: Terms,
): string | undefined {
  if (now === undefined) return 'missing';
  if (entry.type === 'other') return undefined;
  if (now.type !== entry.type) return `is a ${now.type}`;
  // tar and unzip keep what is as old, too.
  if (terms.keepNewer && entry.mtime !== undefined && now.mtime >= entry.mtime) return undefined;
  return contentDifference(entry, now, terms) ?? attributeDifference(entry, now, terms);
}

function contentDifference(
  entry: ArchiveEntry,
  now: Listed,
  { options }: Terms,
): string | undefined {
  if (entry.type === 'link') return entry.target === now.target ? undefined : 'link differs';
  if (entry.type !== 'file') return undefined;
  if (entry.sha1 !== undefined && entry.sha1 !== now.sha1) return 'content differs';
  const isTouched = options.some((option) => option === '--touch' || /^-[a-zA-Z]*m/.test(option));
  if (entry.mtime === undefined || isTouched) return undefined;
  return entry.mtime === now.mtime ? undefined : 'time differs';
}

function attributeDifference(entry: ArchiveEntry, now: Listed, terms: Terms): string | undefined {
  if (entry.type === 'link') return undefined;
  if (!wantedModes(entry, now, terms).includes(now.mode)) return 'mode differs';
  return ownerDiffers(entry, now, terms) ? 'owner differs' : undefined;
}

function wantedModes(entry: ArchiveEntry, now: Listed, terms: Terms): number[] {
  const { mode, umask, isRoot, isZip } = terms;
  if (mode !== undefined) {
    const isDirectory = entry.type === 'directory';
    return [wantedMode(mode, { current: now.mode, isDirectory, umask })];
  }
  if (entry.mode === undefined) return [now.mode];
  if (isRoot && !isZip) return [entry.mode];
  const special = now.mode & 0o7000;
  const masked = (entry.mode & 0o777 & ~umask) | special;
  // Only the unzip of busybox heeds the umask.
  return isZip ? [(entry.mode & 0o777) | special, masked] : [masked];
}

function ownerDiffers(entry: ArchiveEntry, now: Listed, terms: Terms): boolean {
  if (terms.owner !== undefined && now.uid !== terms.owner) return true;
  if (terms.group !== undefined && now.gid !== terms.group) return true;
  const isKept = terms.options.some(
    (option) => option === '--no-same-owner' || /^-[a-z]*o/.test(option),
  );
  if (!terms.isRoot || terms.isZip || isKept) return false;
  const isOwner = now.owner === entry.owner || now.uid === entry.uid;
  const isGroup = now.group === entry.group || now.gid === entry.gid;
  return (terms.owner === undefined && !isOwner) || (terms.group === undefined && !isGroup);
}
