/** The links with which systemd masks units. */
import { posix } from 'node:path';
import {
  type Effect,
  type PathState,
  type Reader,
  TaskError,
  type UnitState,
} from '../../engine/module.ts';
import { isMasked, type Scope } from './systemctl.ts';

/** Where links of a manager are; those of a user are in a home that is not known here. */
const DIRECTORIES: Readonly<Partial<Record<Scope, string>>> = {
  system: '/etc/systemd/system',
  global: '/etc/systemd/user',
};

/** What masking or unmasking a unit does to its link (`systemctl(1)`, mask). */
export function maskEffects(before: UnitState, after: UnitState, scope: Scope): Effect[] {
  const path = linkOf(after, scope);
  if (path === undefined || isMasked(before) === isMasked(after)) return [];
  return [{ kind: 'path', name: path, state: isMasked(after) ? linkToNowhere(path) : undefined }];
}

/** Throws TaskError where a file is in the place of the link that would mask a unit: systemctl leaves it alone. */
export async function checkMask(
  host: Reader,
  unit: UnitState,
  { scope, force }: { readonly scope: Scope; readonly force: boolean },
): Promise<void> {
  const path = linkOf(unit, scope);
  const there = path === undefined || isMasked(unit) ? undefined : await host.path(path);
  if (there === undefined || (there.type === 'link' && force)) return;
  throw new TaskError(
    `Failed to mask the service (${unit.name}): Failed to mask unit: File ${path} already exists.`,
    { hint: 'remove the file first, or stop and disable the unit instead' },
  );
}

function linkOf({ name }: UnitState, scope: Scope): string | undefined {
  const directory = DIRECTORIES[scope];
  const file = /\.[a-z]+$/.test(name) ? name : `${name}.service`;
  return directory === undefined ? undefined : posix.join(directory, file);
}

function linkToNowhere(path: string): PathState {
  return {
    ...{ path, type: 'link', target: '/dev/null', mode: 0o777 },
    ...{ uid: 0, gid: 0, owner: 'root', group: 'root' },
    ...{ size: '/dev/null'.length, inode: 0, device: 0, links: 1, atime: 0, mtime: 0, ctime: 0 },
  };
}
