import type { GroupState, UserState } from '../host-contract.ts';

/** The user with a name, else with an id, among lines of `/etc/passwd` form. */
export function parseUser(nameOrId: string, text: string): UserState | undefined {
  const fields = find(nameOrId, text);
  if (fields === undefined) return undefined;
  const [name = '', , uid, gid, comment = '', home = '', shell = ''] = fields;
  return { name, uid: Number(uid), gid: Number(gid), comment, home, shell };
}

/** The group with a name, else with an id, among lines of `/etc/group` form. */
export function parseGroup(nameOrId: string, text: string): GroupState | undefined {
  const fields = find(nameOrId, text);
  if (fields === undefined) return undefined;
  const [name = '', , gid, members = ''] = fields;
  return { name, gid: Number(gid), members: members.split(',').filter((each) => each !== '') };
}

function find(nameOrId: string, text: string): string[] | undefined {
  const lines = text.split('\n').map((line) => line.split(':'));
  const byName = lines.find(([name]) => name === nameOrId);
  return byName ?? lines.find(([, , id]) => id === nameOrId);
}
