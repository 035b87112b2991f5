/** Whose primary group a group is: such a group cannot be removed (groupdel(8)). */
import { type GroupState, type Reader, UnknownState, type UserState } from '../../engine/module.ts';
import { sh } from '../../shared/shell.ts';
import { parsePasswdLine, UNKNOWN_ID } from './account.ts';

/**
 * The users whose primary group it is, also those that an earlier task of a check run would have made. Throws
 * UnknownState where the numbers of both are yet to be given.
 */
export async function primaryUsersOf(host: Reader, group: GroupState): Promise<UserState[]> {
  const foreseen = new Map(host.predictedAll('user').map(({ name, state }) => [name, state]));
  const { stdout } = await host.read(sh`getent passwd 2>/dev/null || cat /etc/passwd`);
  const users = [...foreseen.values()].filter((user) => user !== undefined);
  return [
    ...users.filter((user) => isPrimary(host, { group, user })),
    ...stdout
      .split('\n')
      .map(parsePasswdLine)
      .filter(({ name, gid }) => gid === group.gid && !foreseen.has(name)),
  ];
}

interface Pair {
  readonly group: GroupState;
  readonly user: { readonly name: string; readonly gid: number };
}

function isPrimary(host: Reader, { group, user }: Pair): boolean {
  if (user.gid !== UNKNOWN_ID) return user.gid === group.gid;
  if (user.name === group.name) return true;
  if (group.gid !== UNKNOWN_ID || host.predicted('group', user.name)?.state !== undefined)
    return false;
  throw new UnknownState(`primary group of ${user.name}`);
}
