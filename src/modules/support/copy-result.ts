/** The results of copy and template. */
import { fileResult, type Plan, type Result, type StepOutput } from '../../engine/module.ts';
import type { CopyNow, CopyWish, Placed } from './copy-task.ts';

type Done = Pick<Plan<{ readonly now: CopyNow }>, 'steps' | 'before'>;

/** Members of the result; that of a whole tree only says where it is. */
export function copyResult(
  now: CopyNow,
  wish: CopyWish,
  done: Done,
  outputs: readonly StepOutput[],
): Result {
  const { source, dest, src } = wish;
  const [place, second] = now.placed;
  if (source.isTree && source.isRemote) return remoteTreeResult(now, wish, done.before.now);
  const isFile = place?.source.type === 'file' && second === undefined;
  if (isFile) return singleResult(place, wish, done, outputs);
  const slash = src?.endsWith('/') === true ? '/' : '';
  return { dest: `${dest.replace(/\/$/, '')}/`, src: `${source.path}${slash}` };
}

/** A directory that was there is named with what was put into it, as Python joins paths. */
function remoteTreeResult(
  now: CopyNow,
  { dest, src, name = '' }: CopyWish,
  before: CopyNow,
): Result {
  const isInto = before.top?.type === 'directory';
  const seen = isInto ? now.tree : now.top;
  return {
    dest: isInto ? `${dest.replace(/\/$/, '')}/${name}` : dest,
    src,
    ...(seen !== undefined && fileResult(seen)),
    checksum: null,
    md5sum: null,
  };
}

function singleResult(
  { path, current, source: { content } }: Placed,
  { source }: CopyWish,
  { steps }: Done,
  outputs: readonly StepOutput[],
): Result {
  const isCopied = source.isRemote || steps.some(({ kind }) => kind === 'write');
  const backup = outputs.find(({ backupFile }) => backupFile !== undefined)?.backupFile;
  return {
    dest: path,
    ...(isCopied ? { src: source.path, md5sum: content?.md5 } : { path }),
    ...(content !== undefined && { checksum: content.sha1 }),
    ...(current !== undefined && fileResult(current)),
    ...(backup !== undefined && { backup_file: backup }),
  };
}
