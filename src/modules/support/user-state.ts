/** What the user module reads of a host. Password hashes are compared here and go no further. */
import { posix } from 'node:path';
import { type GroupState, type Reader, TaskError, type UserState } from '../../engine/module.ts';
import { sh } from '../../shared/shell.ts';
import { checkNames, entryOf, parsePasswdLine } from './account.ts';
import type { TreeEntry } from './file-task.ts';
import { type UserArgs, wantedGroups } from './user-args.ts';
import { readHomeFiles } from './user-files.ts';
import { type NewHome, readNewHome } from './user-home.ts';
import { type PasswordState, passwordState } from './user-shadow.ts';

export interface KeyState {
  readonly file: string;
  readonly exists: boolean;
  /** Whether something is in the place of the public part, which is not to be lost. */
  readonly hasPublic: boolean;
  readonly fingerprint: string;
  readonly publicKey: string | null;
}

/** A user as it is. Plain data without secrets. */
export interface AccountState extends PasswordState {
  readonly user: UserState | null;
  /** Names of the groups they are in beside their primary group. */
  readonly groups: readonly string[];
  readonly hasHome: boolean;
  readonly key: KeyState | null;
  /** Whether the directory of the key is there; null where no key is asked for. */
  readonly hasKeyDirectory: boolean | null;
  /** What a home directory would be like that is made now; null where none is asked for. */
  readonly newHome: NewHome | null;
  /** What is in a home directory whose user gets other numbers. */
  readonly homeFiles: readonly TreeEntry[];
  /** The groups that the arguments name; null where one is missing. */
  readonly named: Readonly<Record<string, GroupState | null>>;
  /** A group with the name of the user. */
  readonly hasOwnGroup: boolean;
  readonly tools: 'shadow' | 'busybox';
}

/** Reads all that the arguments ask about, in one round trip. */
export async function probeAccount(host: Reader, args: UserArgs): Promise<AccountState> {
  const { name, local, password = '' } = args;
  const mentioned = [
    ...new Set([...(wantedGroups(args) ?? []), ...(args.group ? [args.group] : [])]),
  ];
  checkNames([name, ...mentioned]);
  if (/[:\n]/.test(password)) {
    throw new TaskError('the password cannot be kept: it holds a colon or a line break', {
      hint: 'give the hash of a password, such as password_hash makes',
    });
  }
  const [user, own, output, ...groups] = await Promise.all([
    local ? undefined : host.user(name),
    host.group(name),
    host.read(accountScript(args)),
    ...mentioned.map((each) => host.group(each)),
  ]);
  const sections = output.stdout.split('\0');
  const [passwd = '', shadow = '', members = '', tools = '', home = ''] = sections;
  const account = local ? localUser(host, name, passwd) : user;
  const known = account?.name === name ? account : null;
  const isHomeThere = await hasHome(host, args.home ?? known?.home, home !== '');
  const makesHome = args.state === 'present' && args.create_home && !isHomeThere;
  const named = Object.fromEntries(mentioned.map((each, i) => [each, groups[i] ?? null]));
  const gid = args.group === undefined ? undefined : named[args.group]?.gid;
  return {
    user: known,
    groups: known === null ? [] : membership(host, known, members),
    ...passwordState(entryOf(shadow, name), args.password, known),
    hasHome: isHomeThere,
    ...(await keyOf(host, args, { known, sections: sections.slice(5) })),
    newHome: makesHome ? await readNewHome(host, args) : null,
    homeFiles: await readHomeFiles(host, args, { user: known, gid }),
    named,
    hasOwnGroup: own?.name === name,
    tools: tools.includes('useradd') ? 'shadow' : 'busybox',
  };
}

/** Prints sections that end with NUL: passwd, shadow, groups, tools, home, then the key's file, fingerprint and text. */
function accountScript(args: UserArgs) {
  const {
    name,
    home = '',
    generate_ssh_key: wantsKey,
    ssh_key_file: file,
    ssh_key_type: type,
  } = args;
  const key = sh`k=${file ?? `.ssh/id_${type}`}; case $k in /*) ;; *) k=$h/$k;; esac
printf '%s\\0' "$k"; if [ -e "$k" ]; then printf x; fi; if [ -e "$k.pub" ] || [ -L "$k.pub" ]; then printf p; fi; printf '\\0'
if [ -e "$k" ]; then ssh-keygen -lf "$k" 2>/dev/null; fi; printf '\\0'; cat -- "$k.pub" 2>/dev/null`;
  return sh`p=$(if command -v getent >/dev/null && [ ${args.local ? 1 : 0} = 0 ]; then getent passwd ${name}; else grep -F ${`${name}:`} /etc/passwd; fi)
printf '%s\\0' "$p"
grep -F ${`${name}:`} /etc/shadow 2>/dev/null; printf '\\0'
{ getent group 2>/dev/null || cat /etc/group; } | grep -F ${name}; printf '\\0'
command -v useradd; printf '\\0'
h=${home}; if [ -z "$h" ]; then h=$(printf '%s\n' "$p" | while IFS=: read -r n x u g c d s; do if [ "$n" = ${name} ]; then printf %s "$d"; fi; done); fi
[ -n "$h" ] || h=${`/home/${name}`}; if [ -d "$h" ]; then printf x; fi; printf '\\0'
${wantsKey ? key : sh``}`;
}

function localUser(host: Reader, name: string, passwd: string): UserState | undefined {
  const predicted = host.predicted('user', name);
  if (predicted !== undefined) return predicted.state;
  const fields = entryOf(passwd, name);
  return fields === undefined ? undefined : parsePasswdLine(fields.join(':'));
}

function membership(host: Reader, { name, gid }: UserState, lines: string): readonly string[] {
  const found = new Map<string, boolean>();
  for (const line of lines.split('\n')) {
    const [group = '', , id, members = ''] = line.split(':');
    if (members.split(',').includes(name) && Number(id) !== gid) found.set(group, true);
  }
  for (const { name: group, state } of host.predictedAll('group')) {
    found.set(group, state?.members.includes(name) === true && state.gid !== gid);
  }
  return [...found].filter(([, isMember]) => isMember).map(([group]) => group);
}

function parseKey([
  file = '',
  found = '',
  fingerprint = '',
  text = '',
]: readonly string[]): KeyState {
  const publicKey = text.trim();
  return {
    file,
    exists: found.includes('x'),
    hasPublic: found.includes('p'),
    fingerprint: fingerprint.trim(),
    publicKey: publicKey === '' ? null : publicKey,
  };
}

/** Whether the home directory is there, also where only an earlier task of a check run would have made or removed it. */
async function hasHome(host: Reader, home: string | undefined, isThere: boolean): Promise<boolean> {
  if (home === undefined || host.predicted('path', home) === undefined) return isThere;
  return (await host.path(home)) !== undefined;
}

interface Found {
  readonly known: UserState | null;
  readonly sections: readonly string[];
}

/** The key as it is, or as an earlier task of a check run would have made it. */
async function keyOf(
  host: Reader,
  args: UserArgs,
  { known, sections }: Found,
): Promise<Pick<AccountState, 'key' | 'hasKeyDirectory'>> {
  if (!args.generate_ssh_key) return { key: null, hasKeyDirectory: null };
  const key = parseKey(sections);
  const home = args.home ?? known?.home ?? `/home/${args.name}`;
  const given = args.ssh_key_file ?? `.ssh/id_${args.ssh_key_type}`;
  const file = posix.resolve(home, given);
  if (host.predicted('path', file) === undefined) {
    const hasKeyDirectory = key.exists || (await host.exists(posix.dirname(file)));
    return { key, hasKeyDirectory };
  }
  const [exists, hasPublic] = await Promise.all([host.exists(file), host.exists(`${file}.pub`)]);
  return { key: { ...key, exists, hasPublic }, hasKeyDirectory: true };
}
