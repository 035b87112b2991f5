/** What the modules for users and groups share. */
import { type Reader, TaskError, type UserState } from '../../engine/module.ts';
import { sh } from '../../shared/shell.ts';

/** Number of a user or group that a check run would have made without being told a number. */
export const UNKNOWN_ID = -1;

/** Throws TaskError for a name that a tool would take for an option, or that would end its line in a file. */
export function checkNames(names: readonly string[]): void {
  const odd = names.find((name) => name === '' || /^-|[:\n\0]/.test(name));
  if (odd !== undefined)
    throw new TaskError(`${JSON.stringify(odd)} is not a name of a user or group`);
}

/** Fields of an entry in a file such as `/etc/passwd`; undefined where there is none. */
export async function localEntry(
  host: Reader,
  file: string,
  name: string,
): Promise<readonly string[] | undefined> {
  const { stdout } = await host.read(sh`cat ${file}`);
  return entryOf(stdout, name);
}

/** Fields of the line of a name, among lines of the form `name:field:…`. */
export function entryOf(text: string, name: string): readonly string[] | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${name}:`));
  return line?.split(':');
}

/** A user, from a line of `/etc/passwd`. */
export function parsePasswdLine(line: string): UserState {
  const [name = '', , uid, gid, comment = '', home = '', shell = ''] = line.split(':');
  return { name, uid: Number(uid), gid: Number(gid), comment, home, shell };
}
