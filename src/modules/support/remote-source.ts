/** What copy copies on the host itself: a file or a directory. */
import { posix } from 'node:path';
import { expandPath, type Reader, TaskError } from '../../engine/module.ts';
import type { CopySource, SourceEntry } from './copy-source.ts';
import { readTree } from './file-tree.ts';

/** A file or directory of the host itself. Throws TaskError where it is missing or unreadable. */
export async function remoteSource(
  host: Reader,
  src: string,
  { followLinks }: { readonly followLinks: boolean },
): Promise<CopySource> {
  // A source is no path argument, since it may be one of the controller.
  const path = (await expandPath(host, src)).replace(/(.)\/+$/, '$1');
  const [top, tree] = await Promise.all([
    host.path(path, { follow: true, checksum: 'sha1' }),
    readTree(host, path, { followLinks }),
  ]);
  if (top === undefined) throw new TaskError(`Source ${src} not found`);
  if (top.type !== 'directory') {
    const entry = await remoteEntry(host, { path, relative: '', follow: true });
    return { path, isRemote: true, isTree: false, entries: [entry] };
  }
  const entries = await Promise.all(
    tree.map((each) =>
      remoteEntry(host, {
        path: each.path,
        relative: posix.relative(path, each.path),
        follow: followLinks && each.type !== 'link',
      }),
    ),
  );
  return { path, isRemote: true, isTree: true, entries };
}

interface RemoteFile {
  readonly path: string;
  readonly relative: string;
  readonly follow: boolean;
}

async function remoteEntry(
  host: Reader,
  { path, relative, follow }: RemoteFile,
): Promise<SourceEntry> {
  const [state, md5] = await Promise.all([
    host.path(path, { follow, checksum: 'sha1' }),
    host.path(path, { follow, checksum: 'md5' }),
  ]);
  if (state === undefined) throw new TaskError(`Source ${path} not found`);
  const { mode, target, checksum, size: sizeBytes } = state;
  if (state.type === 'directory') return { relative, type: 'directory', mode };
  if (state.type === 'link') return { relative, type: 'link', mode, target: target ?? '' };
  if (state.type !== 'file')
    throw new TaskError(`Cannot copy invalid source '${path}': not a file`);
  if (checksum === undefined) throw new TaskError(`Source ${path} not readable`);
  const content = {
    content: { kind: 'remote', path, sizeBytes } as const,
    sizeBytes,
    sha1: checksum,
    ...(md5?.checksum !== undefined && { md5: md5.checksum }),
    ...(state.content !== undefined && { bytes: state.content }),
  };
  return { relative, type: 'file', mode, content };
}
