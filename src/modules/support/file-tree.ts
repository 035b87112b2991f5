/** Everything below a directory, read at once, and its attributes changed with few commands. */
import {
  type AttributeFacts,
  diffOwnership,
  type Effect,
  type FileAttributes,
  type PathState,
  type Reader,
  resolveAttributes,
  run,
  type Step,
} from '../../engine/module.ts';
import { formatMode } from '../../shared/file-mode.ts';
import { type Command, innerScript, sh } from '../../shared/shell.ts';
import type { TreeEntry } from './file-task.ts';
import { type Times, timeSteps } from './file-times.ts';

/** Paths of one command together hold at most this many characters, far below what a kernel takes. */
const COMMAND_LIMIT_CHARACTERS = 64 * 1024;

/** Entries below a directory, in the order of `find`; with what earlier tasks of a check run would have put there. */
export async function readTree(
  host: Reader,
  path: string,
  { followLinks = false }: { readonly followLinks?: boolean } = {},
): Promise<TreeEntry[]> {
  const top = path.startsWith('/') ? path : `./${path}`;
  const script = followLinks ? followedTree(top) : plainTree(top);
  const { stdout } = await host.read(script);
  const [names = '', numbers = ''] = splitOnce(stdout, '\0\0');
  const lines = numbers.split('\n');
  const found = names.split('\0').filter((name) => name !== '');
  const real = found.map((name, i) => parseEntry(name, lines[i] ?? ''));
  return withPredicted(host, path, real);
}

const NUMBERS = '%f|%u|%g|%U|%G|%s|%i|%d|%h|%x|%y|%z';

function plainTree(top: string): Command {
  const find = sh`find -H ${top} -mindepth 1`;
  return sh`export LC_ALL=C TZ=UTC0
[ -d ${top} ] && ${find} -print0 && printf '\\0' && ${find} -exec stat -c ${NUMBERS} {} +`;
}

/** Only a link to nowhere is still a link; one to a directory above is left out. */
function followedTree(top: string): Command {
  const find = sh`find -L ${top} -mindepth 1`;
  const numbers = sh`for p; do stat -Lc ${NUMBERS} "$p" 2>/dev/null || stat -c ${NUMBERS} "$p"; done`;
  return sh`export LC_ALL=C TZ=UTC0
[ -d ${top} ] && { ${find} -print0; printf '\\0'; ${find} -exec sh -c ${innerScript(numbers)} sh {} +; } 2>/dev/null`;
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** `41ed|0|0|root|root|4096|17|64769|2|2026-01-31 23:59:59.5 +0000|…` */
function parseEntry(path: string, line: string): TreeEntry {
  const [raw = '0', uid = '', gid = '', owner = '', group = '', ...more] = line.split('|');
  const [size, inode, device, links, atime = '', mtime = '', ctime = ''] = more;
  const bits = Number.parseInt(raw, 16);
  const kind = bits >> 12;
  const type = kind === 4 ? 'directory' : kind === 10 ? 'link' : 'file';
  const seconds = (text: string) => Date.parse(text.replace(/(\.\d{3})\d*/, '$1')) / 1000;
  return {
    ...{ path, type, mode: bits & 0o7777, uid: Number(uid), gid: Number(gid) },
    ...{ owner, group, size: Number(size), inode: Number(inode), device: Number(device) },
    ...{
      links: Number(links),
      atime: seconds(atime),
      mtime: seconds(mtime),
      ctime: seconds(ctime),
    },
  };
}

function withPredicted(host: Reader, path: string, real: readonly TreeEntry[]): TreeEntry[] {
  const entries = new Map(real.map((entry) => [entry.path, entry]));
  for (const { name, state } of host.predictedBelow(path)) {
    if (state !== undefined) entries.set(name, { ...state, path: name });
    else dropBelow(entries, name);
  }
  return [...entries.values()];
}

function dropBelow(entries: Map<string, TreeEntry>, name: string): void {
  for (const path of entries.keys()) {
    if (path === name || path.startsWith(`${name}/`)) entries.delete(path);
  }
}

/** Steps that bring owner, group, mode and times of all entries to what is wanted. */
export function treeSteps(
  tree: readonly TreeEntry[],
  wanted: FileAttributes,
  facts: AttributeFacts,
  times: Times,
): Step[] {
  const changes = tree.map((entry) => ({
    entry,
    to: resolveAttributes(entry.type, entry, wanted, facts),
  }));
  const chown = groupPaths(changes, ({ entry, to }) => differing(entry.uid, to.uid));
  const chgrp = groupPaths(changes, ({ entry, to }) => differing(entry.gid, to.gid));
  const chmod = groupPaths(changes, ({ entry, to }) =>
    entry.type === 'link' ? undefined : modeChange(entry, to.mode, entry.uid !== to.uid),
  );
  return [
    ...chown.flatMap(([uid, paths]) => inBatches(paths, (some) => sh`chown -h ${uid} -- ${some}`)),
    ...chgrp.flatMap(([gid, paths]) => inBatches(paths, (some) => sh`chgrp -h ${gid} -- ${some}`)),
    ...chmod.flatMap(([mode, paths]) => inBatches(paths, (some) => sh`chmod ${mode} -- ${some}`)),
    ...tree.flatMap((entry) => timeSteps(entry.path, entry, times)),
  ];
}

/** What those steps will have done. Links stay as they are: who owns one matters to nobody. */
export function treeEffects(
  tree: readonly TreeEntry[],
  wanted: FileAttributes,
  facts: AttributeFacts,
): Effect[] {
  return tree.flatMap((entry): Effect[] => {
    const reached = resolveAttributes(entry.type, entry, wanted, facts);
    const [before] = diffOwnership(entry, reached);
    if (entry.type === 'link' || Object.keys(before).length === 0) return [];
    return [{ kind: 'path', name: entry.path, state: { ...entry, ...reached } }];
  });
}

function differing(from: number, to: number): string | undefined {
  return from === to ? undefined : String(to);
}

/** Directories need five digits, or GNU chmod keeps their setuid and setgid; a chown takes these from files. */
function modeChange(entry: TreeEntry, mode: number, isChowned: boolean): string | undefined {
  if (entry.mode === mode && !(isChowned && (mode & 0o6000) !== 0)) return undefined;
  return entry.type === 'directory' ? `0${formatMode(mode)}` : formatMode(mode);
}

interface Change {
  readonly entry: TreeEntry;
  readonly to: Pick<PathState, 'mode' | 'uid' | 'gid'>;
}

function groupPaths(
  changes: readonly Change[],
  keyOf: (change: Change) => string | undefined,
): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const change of changes) {
    const key = keyOf(change);
    if (key === undefined) continue;
    const paths = groups.get(key) ?? [];
    paths.push(change.entry.path);
    groups.set(key, paths);
  }
  return [...groups];
}

function inBatches(
  paths: readonly string[],
  command: (paths: readonly string[]) => ReturnType<typeof sh>,
): Step[] {
  const batches: string[][] = [];
  let room = 0;
  for (const path of paths) {
    if (batches.length === 0 || path.length > room) {
      batches.push([]);
      room = COMMAND_LIMIT_CHARACTERS;
    }
    batches.at(-1)?.push(path);
    room -= path.length;
  }
  return batches.map((batch) => run(command(batch)));
}
