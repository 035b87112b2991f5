/** What of a release comes to which path of a host. */
import { open } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Content, TaskError } from '../../../engine/module.ts';
import { localContent, readArchiveFile } from '../archive/local.ts';
import type { ReleaseArgs } from './args.ts';
import { type Architecture, architectureOfElf } from './host.ts';
import type { Obtained } from './memory.ts';
import type { Artifact } from './obtain.ts';

/** A file or link, by the name that it has in the archive; a single file has none. */
export interface Placed {
  readonly from: string | undefined;
  /** The same as the archive writes it. */
  readonly member?: string;
  /** Absolute path on the host. */
  readonly to: string;
  readonly head: string | undefined;
}

export interface Contents {
  readonly content: Content;
  /** Option by which tar knows how it is packed; undefined for a single file. */
  readonly packing: string | undefined;
  readonly placed: readonly Placed[];
}

const ARCHIVE = /\.(tar|tar\.gz|tgz|tar\.xz|tar\.bz2|tar\.zst)$/;
const PACKINGS = {
  ...{ TgzArchive: '-z', TarBzipArchive: '-j', TarXzArchive: '-J', TarZstdArchive: '--zstd' },
  TarArchive: '',
  ZipArchive: undefined,
} as const;

/** Reads an obtained file. Throws TaskError where it is damaged, or not for the host. */
export async function readContents(
  { asset, name }: Artifact,
  { file }: Obtained,
  { args, architecture }: { readonly args: ReleaseArgs; readonly architecture: Architecture },
): Promise<Contents> {
  const contents = ARCHIVE.test(asset)
    ? await archiveContents(file, args)
    : await singleFile(file, posix.join(args.dest, args.file_name ?? posix.basename(asset)));
  const foreign = contents.placed.find(({ head = '' }) => {
    const machine = architectureOfElf(head);
    return machine !== undefined && machine !== architecture;
  });
  if (foreign !== undefined) {
    throw new TaskError(
      `${posix.basename(foreign.to)} of ${asset} is not a program for ${architecture}`,
      {
        hint: 'the release or the mirror has a wrong file under this name; nothing is installed',
      },
    );
  }
  const paths = new Set(contents.placed.map(({ to }) => to));
  const missing = args.files.filter((each) => !paths.has(posix.join(args.dest, each)));
  if (missing.length === 0) return contents;
  throw new TaskError(`${asset} has no ${missing.join(', ')}`, {
    hint: `is it the right file for ${name}?`,
  });
}

async function archiveContents(
  file: string,
  { dest, strip, files, only_files: isPart }: ReleaseArgs,
): Promise<Contents> {
  const { entries, content, handler } = await readArchiveFile(file);
  const placed = entries.flatMap(({ name, type, head }) => {
    if (type === 'directory') return [];
    const parts = name.split('/').filter((part) => part !== '' && part !== '.');
    if (parts.includes('..') || name.startsWith('/')) {
      throw new TaskError(`"${name}" of ${posix.basename(file)} leads out of the archive`);
    }
    const kept = parts.slice(Number(strip));
    return kept.length === 0
      ? []
      : [{ from: parts.join('/'), member: name, to: posix.join(dest, ...kept), head }];
  });
  const wanted = new Set(files.map((each) => posix.join(dest, each)));
  const chosen = isPart ? placed.filter(({ to }) => wanted.has(to)) : placed;
  return { content, packing: PACKINGS[handler], placed: chosen };
}

async function singleFile(file: string, to: string): Promise<Contents> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(20), 0, 20, 0);
    const placed = [{ from: undefined, to, head: buffer.toString('hex') }];
    return { content: await localContent(file), packing: undefined, placed };
  } finally {
    await handle.close();
  }
}
