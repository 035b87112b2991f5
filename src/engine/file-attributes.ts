/** Owner, group, mode, chattr flags and SELinux context: the arguments that all modules about files share. */
import { TaskError } from '../shared/errors.ts';
import { computeMode, formatMode, type ModeContext } from '../shared/file-mode.ts';
import { boolean, type Infer, object, optional, raw, string } from '../shared/schema.ts';
import { type Command, sh } from '../shared/shell.ts';
import { probeFlags } from './file-flags.ts';
import type { PathState, Reader } from './host-contract.ts';

/** Members for a module's argument object. */
export const fileAttributes = {
  mode: optional(
    raw(
      'Permissions: octal in quotes (`"0644"`) or symbolic (`u=rwX,g=rX,o=`). Without it, kept or by umask.',
    ),
  ),
  owner: optional(string('Name or id of the user who owns the file.')),
  group: optional(string('Name or id of the group that owns the file.')),
  seuser: optional(string('User part of the SELinux context.')),
  serole: optional(string('Role part of the SELinux context.')),
  setype: optional(string('Type part of the SELinux context.')),
  selevel: optional(string('Level part of the SELinux context.')),
  attributes: optional(
    string('Flags as chattr takes them: `+i`, `-a`, `=ai`.', { aliases: ['attr'] }),
  ),
  unsafe_writes: boolean(
    'Overwrite in place where the file cannot be replaced by a rename, such as a mount point.',
    { default: false },
  ),
};

const schema = object(fileAttributes);
type Declared = Infer<typeof schema>;
/** The attributes asked for. Those that modules leave out are as if not given. */
export type FileAttributes = Partial<Declared>;

interface Account {
  /** As the user wrote it. */
  readonly given: string;
  readonly id: number;
  readonly name: string;
}

/** What has to be known of a host before attributes can be planned. */
export interface AttributeFacts {
  readonly umask: number;
  /** Who owns what the task makes. */
  readonly maker: Pick<Ownership, 'uid' | 'gid' | 'owner' | 'group'>;
  readonly owner?: Account;
  readonly group?: Account;
  /** Letters of the chattr flags that are set; only when the task asks for flags. */
  readonly flags?: string;
  /** `user:role:type:level`; only when the task asks for a context and the host has SELinux. */
  readonly context?: string;
}

/**
 * Reads what planning attributes of a path needs, in the round trip of the other reads of the tick. Throws
 * TaskError where the owner or group does not exist.
 */
export async function probeAttributes(
  host: Reader,
  path: string,
  wanted: FileAttributes,
): Promise<AttributeFacts> {
  const [self, owner, group, flags] = await Promise.all([
    host.read(sh`umask; id`),
    wanted.owner === undefined ? undefined : findUser(host, wanted.owner),
    wanted.group === undefined ? undefined : findGroup(host, wanted.group),
    probeFlags(host, path, wanted),
  ]);
  return {
    ...parseSelf(self.stdout),
    ...(owner !== undefined && { owner }),
    ...(group !== undefined && { group }),
    ...flags,
  };
}

/** Reads `0022` and `uid=0(root) gid=0(root) groups=…`. */
function parseSelf(text: string): Pick<AttributeFacts, 'umask' | 'maker'> {
  const [umask = '', ids = ''] = text.split('\n');
  const [, uid, owner] = /uid=(\d+)(?:\(([^)]*)\))?/.exec(ids) ?? [];
  const [, gid, group] = /gid=(\d+)(?:\(([^)]*)\))?/.exec(ids) ?? [];
  return {
    umask: Number.parseInt(umask, 8),
    maker: {
      uid: Number(uid),
      gid: Number(gid),
      owner: owner ?? String(uid),
      group: group ?? String(gid),
    },
  };
}

async function findUser(host: Reader, given: string): Promise<Account> {
  const user = await host.user(given);
  return account('user', given, user && { id: user.uid, name: user.name });
}

async function findGroup(host: Reader, given: string): Promise<Account> {
  const group = await host.group(given);
  return account('group', given, group && { id: group.gid, name: group.name });
}

function account(
  kind: 'user' | 'group',
  given: string,
  found: { readonly id: number; readonly name: string } | undefined,
): Account {
  if (/^\d+$/.test(given)) return { given, id: Number(given), name: found?.name ?? given };
  if (found !== undefined) return { given, ...found };
  const verb = kind === 'user' ? 'chown' : 'chgrp';
  throw new TaskError(`${verb} failed: failed to look up ${kind} ${given}`, {
    hint: `create the ${kind} "${given}" first, or give its number`,
  });
}

/** Mode, owner and group of a path after a task. */
export interface Ownership {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly owner: string;
  readonly group: string;
}

/** The attributes of a path after the task. Without `current` the path is new and gets what its maker gets. */
export function resolveAttributes(
  type: PathState['type'],
  current: Ownership | undefined,
  wanted: FileAttributes,
  facts: AttributeFacts,
): Ownership {
  const { owner, group, umask, maker } = facts;
  const isDirectory = type === 'directory';
  const base = current ?? { ...maker, mode: (isDirectory ? 0o777 : 0o666) & ~umask };
  const chowned = {
    ...base,
    ...(owner !== undefined && { uid: owner.id, owner: owner.name }),
    ...(group !== undefined && { gid: group.id, group: group.name }),
  };
  const moved = chowned.uid !== base.uid || chowned.gid !== base.gid;
  const kept = moved && type === 'file' ? withoutSetId(base.mode) : base.mode;
  if (wanted.mode === undefined || type === 'link') return { ...chowned, mode: kept };
  return { ...chowned, mode: wantedMode(wanted.mode, { current: kept, isDirectory, umask }) };
}

/** Permission bits that a mode argument asks for. Throws TaskError where it is no mode. */
export function wantedMode(wanted: unknown, context: ModeContext): number {
  try {
    return computeMode(wanted, context);
  } catch (cause) {
    throw new TaskError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** The kernel takes these bits away when a file changes hands. */
function withoutSetId(mode: number): number {
  return mode & ~0o4000 & ((mode & 0o010) === 0 ? ~0 : ~0o2000);
}

/** Commands that bring an existing path from one ownership to another. Links are changed themselves, not their targets. */
export function ownershipCommands(
  path: string,
  type: PathState['type'],
  from: Ownership,
  to: Ownership,
): Command[] {
  const commands: Command[] = [];
  if (from.uid !== to.uid) commands.push(sh`chown -h ${to.uid} -- ${path}`);
  if (from.gid !== to.gid) commands.push(sh`chgrp -h ${to.gid} -- ${path}`);
  const isLost = commands.length > 0 && type === 'file' && (to.mode & 0o6000) !== 0;
  if ((from.mode !== to.mode && type !== 'link') || isLost) {
    commands.push(chmodCommand(path, type, to.mode));
  }
  return commands;
}

/** Sets exactly these bits. GNU chmod keeps setuid and setgid of directories unless it is given five digits. */
export function chmodCommand(path: string, type: PathState['type'], mode: number): Command {
  const digits = type === 'directory' ? `0${formatMode(mode)}` : formatMode(mode);
  return sh`chmod ${digits} -- ${path}`;
}

/** The attributes that differ, for a diff: `[before, after]`. */
export function diffOwnership(from: Ownership, to: Ownership): [object, object] {
  const shown = (side: Ownership) => ({
    ...(from.mode !== to.mode && { mode: showMode(side.mode) }),
    ...(from.uid !== to.uid && { owner: side.uid }),
    ...(from.gid !== to.gid && { group: side.gid }),
  });
  return [shown(from), shown(to)];
}

/** Members of the result of every module about files, beside `path` or `dest`. */
export function fileResult(state: PathState): Readonly<Record<string, unknown>> {
  const { uid, gid, owner, group, size } = state;
  return { uid, gid, owner, group, mode: showMode(state.mode), size, state: stateName(state) };
}

/** What the members of `fileResult` mean, beside `state`. */
export const fileReturns = {
  mode: 'Permissions, as four octal digits.',
  owner: 'Name of the owner.',
  group: 'Name of the group.',
  uid: 'Number of the owner.',
  gid: 'Number of the group.',
  size: 'Size in bytes.',
};

/** A zero and at least three digits, as results and diffs show modes: `0644`, `02755`. */
function showMode(mode: number): string {
  return `0${mode.toString(8).padStart(3, '0')}`;
}

/** What the file module calls a thing: `file`, `hard` (a file with several names), `directory`, `link`. */
export function stateName({ type, links }: Pick<PathState, 'type' | 'links'>): string {
  if (type === 'directory' || type === 'link') return type;
  return links > 1 ? 'hard' : 'file';
}
