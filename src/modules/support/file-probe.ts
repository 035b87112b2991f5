/** Reads what the file module has to know of a path. */
import { posix } from 'node:path';
import { type PathState, probeAttributes, type Reader } from '../../engine/module.ts';
import type { FileArgs, FileNow } from './file-task.ts';
import { readTimes } from './file-times.ts';
import { readTree } from './file-tree.ts';
import { probeParents } from './parents.ts';

/** Reads a path, what is above and below it and what `src` names, in one round trip where nothing is linked. */
export async function probeFile(host: Reader, args: FileArgs, at = args.path): Promise<FileNow> {
  const [here, there, facts, times, tree, source, above] = await Promise.all([
    host.path(at),
    host.path(at, { follow: true }),
    probeAttributes(host, at, args),
    readTimes(host, args, args.state === 'touch' ? 'now' : 'preserve'),
    needsTree(args) ? readTree(host, at) : [],
    readSource(host, at, args),
    probeParents(host, at.replace(/(.)\/+$/, '$1')),
  ]);
  if (args.state === 'hard' && args.src !== undefined && there?.type === 'directory') {
    return probeFile(host, args, posix.join(at, posix.basename(args.src)));
  }
  const now = { path: at, here, there, ...above, facts, source, times };
  const below = args.recurse && args.follow ? await followTree(host, tree, new Set([at])) : tree;
  return { ...now, tree: below };
}

function needsTree({ state, recurse, force }: FileArgs): boolean {
  return recurse || state === 'absent' || (state === 'link' && force);
}

/** What `src` names: for a link relative to where the link lies. */
async function readSource(
  host: Reader,
  at: string,
  { state, src }: FileArgs,
): Promise<PathState | undefined> {
  if (src === undefined || (state !== 'link' && state !== 'hard')) return undefined;
  const isRelative = state === 'link' && !posix.isAbsolute(src);
  return host.path(isRelative ? posix.join(posix.dirname(at), src) : src, { follow: true });
}

/** A tree together with what the links in it point to, which `recurse` changes as well. */
async function followTree(
  host: Reader,
  tree: FileNow['tree'],
  seen: Set<string>,
): Promise<FileNow['tree']> {
  const links = tree.filter(({ type, path }) => type === 'link' && !seen.has(path));
  for (const { path } of links) seen.add(path);
  const targets = await Promise.all(links.map(({ path }) => host.path(path, { follow: true })));
  const more = targets.flatMap((target) => {
    const path = target?.realPath;
    if (target === undefined || path === undefined || seen.has(path)) return [];
    seen.add(path);
    return [{ ...target, path }];
  });
  const below = await Promise.all(
    more.map(({ type, path }) => (type === 'directory' ? readTree(host, path) : [])),
  );
  const found = [...more, ...below.flat()];
  const rest = found.length === 0 ? [] : await followTree(host, found, seen);
  return uniquePaths([...tree, ...rest]);
}

function uniquePaths(entries: FileNow['tree']): FileNow['tree'] {
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()];
}
