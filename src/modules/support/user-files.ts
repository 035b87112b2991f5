/** The files in a home directory that get another owner with the numbers of their user, as usermod(8) says. */
import type { Effect, PathState, Reader, UserState } from '../../engine/module.ts';
import type { TreeEntry } from './file-task.ts';
import { readTree } from './file-tree.ts';
import type { UserArgs } from './user-args.ts';

/** The home directory and all that is in it; empty where the numbers stay as they are. */
export async function readHomeFiles(
  host: Reader,
  { uid, local, move_home: isMoved }: UserArgs,
  { user, gid }: { readonly user: UserState | null; readonly gid: number | undefined },
): Promise<TreeEntry[]> {
  if (user === null || local || isMoved) return [];
  const isChanged = (uid ?? user.uid) !== user.uid || (gid ?? user.gid) !== user.gid;
  const home = isChanged ? await host.path(user.home) : undefined;
  if (home?.type !== 'directory') return [];
  return [home, ...(await readTree(host, user.home))];
}

/** What belongs to the user of `before` belongs to the one of `after`, each number by itself. */
export function ownerEffects(
  files: readonly TreeEntry[],
  before: UserState,
  after: UserState,
): Effect[] {
  return files.flatMap((file): Effect[] => {
    const [isTheirs, isTheirGroups] = [file.uid === before.uid, file.gid === before.gid];
    if (file.type === 'link' || (!isTheirs && !isTheirGroups)) return [];
    const state: PathState = {
      ...file,
      ...(isTheirs && { uid: after.uid }),
      ...(isTheirGroups && { gid: after.gid }),
    };
    return [{ kind: 'path', name: file.path, state }];
  });
}
