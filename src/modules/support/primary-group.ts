/** Whose primary group a group is: such a group cannot be removed (groupdel(8)). */
import { type GroupState, type Reader, UnknownState } from '../../engine/module.ts';
import { sh } from '../../shared/shell.ts';
import { UNKNOWN_ID } from './account.ts';

/**
 * The name of a user whose primary group it is, also of one that an earlier task of a check run would have made. Throws
 * UnknownState where the numbers of both are yet to be given.
 */
export async function primaryUserOf(host: Reader, group: GroupState): Promise<string | undefined> {
  const foreseen = new Map(host.predictedAll('user').map(({ name, state }) => [name, state]));
  for (const user of foreseen.values()) {
    if (user !== undefined && isPrimary(host, { group, user })) return user.name;
  }
  const { stdout } = await host.read(sh`getent passwd 2>/dev/null || cat /etc/passwd`);
  for (const line of stdout.split('\n')) {
    const [name = '', , , gid] = line.split(':');
    if (Number(gid) === group.gid && !foreseen.has(name)) return name;
  }
  return undefined;
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
