/** What a home directory holds when it has just been made, for later tasks of a check run. */
import { posix } from 'node:path';
import type { Effect, PathState, Reader, UserState } from '../../engine/module.ts';
import { sh } from '../../shared/shell.ts';
import type { UserArgs } from './user-args.ts';

/** What a new home directory would be like. */
export interface NewHome {
  readonly mode: number;
  /** Names of what is copied into it. */
  readonly skeleton: readonly string[];
}

/** Reads what the tools of the host put into a new home directory. */
export async function readNewHome(
  host: Reader,
  { skeleton = '/etc/skel', umask = '' }: UserArgs,
): Promise<NewHome> {
  const { stdout } = await host.read(sh`u=${umask}; m=
if [ -z "$u" ]; then while read -r k v r; do case $k in HOME_MODE) m=$v;; UMASK) u=$v;; esac; done </etc/login.defs 2>/dev/null; fi
[ -n "$m" ] || m=$(printf %o $((0777 & ~0\${u:-022}))); printf '%s\n' "$m"
for f in ${skeleton}/* ${skeleton}/.[!.]*; do if [ -e "$f" ]; then printf '%s\n' "\${f##*/}"; fi; done`);
  const [mode = '', ...names] = stdout.trim().split('\n');
  return { mode: /^[0-7]+$/.test(mode) ? Number.parseInt(mode, 8) : 0o755, skeleton: names };
}

/** A home directory with its first content. */
export function homeEffects(user: UserState, { mode, skeleton }: NewHome): Effect[] {
  const because = `home directory of ${user.name}`;
  return [
    { kind: 'path', name: user.home, state: stateOf(user, user.home, 'directory', mode) },
    ...skeleton.map((name): Effect => {
      const path = posix.join(user.home, name);
      return { kind: 'unknown-path', name: path, because, exists: true };
    }),
  ];
}

/** A home directory that was moved: what is in it nobody has looked at. */
export function movedHomeEffects(user: UserState, from: string): Effect[] {
  const because = `home directory of ${user.name}`;
  const state = stateOf(user, user.home, 'directory', 0o755);
  return [
    { kind: 'path', name: from, state: undefined },
    { kind: 'path', name: user.home, state },
    { kind: 'unknown-path', name: user.home, because, below: true },
  ];
}

/** A new key pair and its directory. */
export function keyEffects(user: UserState, key: string, hasDirectory: boolean): Effect[] {
  const file = key.startsWith('/') ? key : posix.join(user.home, key);
  const directory = posix.dirname(file);
  const path = (name: string, type: 'file' | 'directory', mode: number): Effect => {
    return { kind: 'path', name, state: stateOf(user, name, type, mode) };
  };
  return [
    ...(hasDirectory ? [] : [path(directory, 'directory', 0o700)]),
    path(file, 'file', 0o600),
    path(`${file}.pub`, 'file', 0o644),
  ];
}

/** Something that belongs to the user, of unknown content. */
function stateOf(
  { uid, gid, name }: UserState,
  path: string,
  type: 'file' | 'directory',
  mode: number,
): PathState {
  return {
    ...{ path, type, mode, uid, gid, owner: name, group: name },
    ...{ size: type === 'directory' ? 4096 : 1, inode: 0, device: 0 },
    ...{ links: type === 'directory' ? 2 : 1, atime: 0, mtime: 0, ctime: 0 },
  };
}
