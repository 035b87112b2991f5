/** chattr flags and SELinux contexts of paths: read only for the tasks that ask for them. */
import { TaskError } from '../shared/errors.ts';
import { type Command, sh } from '../shared/shell.ts';
import type { Reader } from './host-contract.ts';

interface WantedFlags {
  readonly attributes?: string | undefined;
  readonly seuser?: string | undefined;
  readonly serole?: string | undefined;
  readonly setype?: string | undefined;
  readonly selevel?: string | undefined;
}

interface Flags {
  readonly flags?: string;
  readonly context?: string;
}

/** Exit code of a shell for a command that does not exist. */
const NOT_FOUND = 127;

/** Flags that say how the file system stores the file; nobody sets or clears them by hand. */
const STORAGE_FLAGS = /[eEINVh]/g;

/** Reads flags and context of a path, as far as the task asks for them. Throws TaskError without the tools. */
export async function probeFlags(host: Reader, path: string, wanted: WantedFlags): Promise<Flags> {
  const [flags, context] = await Promise.all([
    wanted.attributes === undefined ? undefined : host.read(sh`lsattr -d -- ${path}`),
    hasContext(wanted)
      ? host.read(
          sh`[ -d /sys/fs/selinux/class ] || exit 1; stat -c %C -- ${path} 2>/dev/null || :`,
        )
      : undefined,
  ]);
  if (flags?.code === NOT_FOUND) {
    throw new TaskError('attributes need lsattr and chattr, which the host does not have', {
      hint: 'install e2fsprogs there',
    });
  }
  return {
    ...(flags !== undefined && { flags: flags.code === 0 ? parseFlags(flags.stdout) : '' }),
    ...(context?.code === 0 && { context: context.stdout.trim() }),
  };
}

/** Commands that bring flags and context to what is wanted. `isNew` paths have neither yet. */
export function flagCommands(
  path: string,
  wanted: WantedFlags,
  { flags = '', context }: Flags,
  { isNew }: { readonly isNew: boolean },
): Command[] {
  const { attributes } = wanted;
  const commands: Command[] = [];
  if (context !== undefined) commands.push(...contextCommand(path, wanted, isNew ? '' : context));
  if (attributes !== undefined && !hasFlags(attributes, isNew ? '' : flags)) {
    commands.push(
      sh`chattr ${/^[-+=]/.test(attributes) ? attributes : `=${attributes}`} -- ${path}`,
    );
  }
  return commands;
}

/** The letters that `lsattr` prints. */
function parseFlags(line: string): string {
  return (line.trim().split(/\s/)[0] ?? '').replaceAll('-', '');
}

function hasFlags(attributes: string, flags: string): boolean {
  const wanted = [...attributes.replace(/^[-+=]/, '')];
  if (attributes.startsWith('+')) return wanted.every((flag) => flags.includes(flag));
  if (attributes.startsWith('-')) return !wanted.some((flag) => flags.includes(flag));
  const plain = (letters: string) => [...letters.replaceAll(STORAGE_FLAGS, '')].sort().join('');
  return plain(wanted.join('')) === plain(flags);
}

function hasContext(wanted: WantedFlags): boolean {
  const { seuser, serole, setype, selevel } = wanted;
  return [seuser, serole, setype, selevel].some((part) => part !== undefined);
}

function contextCommand(path: string, wanted: WantedFlags, context: string): Command[] {
  const [user, role, type, ...level] = context.split(':');
  const parts = [
    ['-u', wanted.seuser, user],
    ['-r', wanted.serole, role],
    ['-t', wanted.setype, type],
    ['-l', wanted.selevel, level.join(':')],
  ] as const;
  const changes = parts.flatMap(([option, value, now]) => {
    return value === undefined || value === '_default' || value === now ? [] : [option, value];
  });
  return changes.length === 0 ? [] : [sh`chcon -h ${changes} -- ${path}`];
}
