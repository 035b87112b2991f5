/** What is on the host below a directory, for many paths at once. */
import { type Command, joinCommands, sh } from '../../../shared/shell.ts';
import type { ArchiveEntry } from './entry.ts';

export interface Listed {
  readonly type: ArchiveEntry['type'];
  readonly mode: number;
  readonly size: number;
  readonly mtime: number;
  readonly uid: number;
  readonly gid: number;
  readonly owner: string;
  readonly group: string;
  readonly target?: string;
  readonly sha1?: string;
}

/** By path below the directory; `.` is the directory itself. */
export type Listing = Readonly<Record<string, Listed>>;

/** Ends each name, which may hold spaces and quotes but no line break. */
const FORMAT = '%f|%s|%Y|%u|%g|%U|%G|%n';
const TYPES: Readonly<Record<number, ArchiveEntry['type']>> = {
  4: 'directory',
  8: 'file',
  10: 'link',
};

/** Lists the paths whose names `names` prints, each ended by NUL. */
export function listingScript(directory: string | Command, names: Command): Command {
  return joinCommands(
    [
      sh`cd -- ${directory} || exit 1
n() { ${names}; }
n | LC_ALL=C xargs -0 stat -c ${FORMAT} -- 2>/dev/null
echo ==links==
n | xargs -0 sh -c 'for f; do if [ -L "$f" ]; then printf "%s\n%s\n" "$f" "$(readlink "$f")"; fi; done' sh
echo ==sums==
n | xargs -0 sh -c 'for f; do if [ -f "$f" ] && [ ! -L "$f" ]; then printf "%s\\0" "$f"; fi; done' sh | xargs -0 sha1sum -- 2>/dev/null
:`,
    ],
    '\n',
  );
}

/** Prints names, each ended by NUL; the shell's own printf has no limit on its length. */
export function printNames(names: readonly string[]): Command {
  const words = names.map((name) => (name === '' ? '.' : `./${name}`));
  return words.length === 0 ? sh`:` : sh`printf '%s\\0' ${words}`;
}

/** Reads what a listing script printed. */
export function parseListing(stdout: string): Listing {
  const [stats = '', rest = ''] = split(stdout, '==links==\n');
  const [links = '', sums = ''] = split(rest, '==sums==\n');
  const digests = new Map(
    sums.split('\n').map((line) => [plain(line.slice(42)), line.slice(0, 40)]),
  );
  const pairs = links.split('\n');
  const targets = new Map(
    pairs.flatMap((name, i) => (i % 2 === 0 ? [[plain(name), pairs[i + 1] ?? '']] : [])),
  );
  const listed = stats.split('\n').flatMap((line) => {
    const [mode = '', size, mtime, uid, gid, owner = '', group = '', ...name] = line.split('|');
    if (name.length === 0) return [];
    const path = plain(name.join('|'));
    const bits = Number.parseInt(mode, 16);
    const [target, sha1] = [targets.get(path), digests.get(path)];
    const state: Listed = {
      type: TYPES[bits >> 12] ?? 'other',
      mode: bits & 0o7777,
      ...{
        size: Number(size),
        mtime: Number(mtime),
        uid: Number(uid),
        gid: Number(gid),
        owner,
        group,
      },
      ...(target !== undefined && { target }),
      ...(sha1 !== undefined && { sha1 }),
    };
    return [[path, state] as const];
  });
  return Object.fromEntries(listed);
}

function split(text: string, mark: string): [string, string] {
  const at = text.lastIndexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)];
}

const plain = (name: string) => name.replace(/^\.\//, '') || '.';
