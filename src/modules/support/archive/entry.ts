/** What an archive holds, one thing at a time. */

export interface ArchiveEntry {
  /** As the archive writes it: `./d/f`, directories with a slash at the end. */
  readonly name: string;
  readonly type: 'file' | 'directory' | 'link' | 'hard' | 'other';
  /** Permission bits; undefined where the archive has none. */
  readonly mode?: number | undefined;
  readonly size: number;
  /** Seconds since the epoch; undefined where it depends on the time zone. */
  readonly mtime?: number | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  readonly owner?: string | undefined;
  readonly group?: string | undefined;
  /** Where a link points; for a hard link, the name of the other entry. */
  readonly target?: string | undefined;
  /** SHA-1 of a file. */
  readonly sha1?: string | undefined;
  /** The first 20 bytes of a file of a tar archive, in hex: they tell what machine a program is for. */
  readonly head?: string | undefined;
}

/** What all kinds of archives are called in results. */
export type Handler =
  | 'TgzArchive'
  | 'TarBzipArchive'
  | 'TarXzArchive'
  | 'TarZstdArchive'
  | 'TarArchive'
  | 'ZipArchive';

/** What the first bytes tell; anything that is not packed is taken for a tar archive. */
export function handlerOf(firstBytes: Buffer): Handler {
  const hex = firstBytes.subarray(0, 6).toString('hex');
  if (hex.startsWith('504b')) return 'ZipArchive';
  if (hex.startsWith('1f8b')) return 'TgzArchive';
  if (hex.startsWith('425a68')) return 'TarBzipArchive';
  if (hex.startsWith('fd377a585a00')) return 'TarXzArchive';
  if (hex.startsWith('28b52ffd')) return 'TarZstdArchive';
  return 'TarArchive';
}

/** The program that unpacks what is around a tar archive. */
export const UNPACKERS: Readonly<Record<Handler, string | undefined>> = {
  TgzArchive: 'gzip',
  TarBzipArchive: 'bzip2',
  TarXzArchive: 'xz',
  TarZstdArchive: 'zstd',
  TarArchive: undefined,
  ZipArchive: undefined,
};
