/** What the user module reads of a host. Password hashes are compared here and go no further. */
import type { GroupState, Reader, UserState } from '../../engine/module.ts';
import { sh } from '../../shared/shell.ts';
import { entryOf } from './account.ts';
import { type UserArgs, wantedGroups } from './user-args.ts';

/** The ageing of a password; undefined is unlimited. Days, `expires` since 1970. */
export interface Ageing {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly warn: number | undefined;
  readonly inactive: number | undefined;
  readonly expires: number | undefined;
}

export interface KeyState {
  readonly file: string;
  readonly exists: boolean;
  /** Whether something is in the place of the public part, which is not to be lost. */
  readonly hasPublic: boolean;
  readonly fingerprint: string;
  readonly publicKey: string | null;
}

/** A user as it is. Plain data without secrets. */
export interface AccountState {
  readonly user: UserState | null;
  /** Names of the groups they are in beside their primary group. */
  readonly groups: readonly string[];
  /** Whether the password is the one that is asked for. */
  readonly hasPassword: boolean;
  readonly isLocked: boolean;
  /** Whether there is a password that could be unlocked. */
  readonly isUnlockable: boolean;
  readonly ageing: Ageing;
  /** Whether there is a line in shadow that could hold an ageing. */
  readonly hasShadow: boolean;
  readonly hasHome: boolean;
  readonly key: KeyState | null;
  /** The groups that the arguments name; null where one is missing. */
  readonly named: Readonly<Record<string, GroupState | null>>;
  /** A group with the name of the user. */
  readonly hasOwnGroup: boolean;
  readonly tools: 'shadow' | 'busybox';
}

/** Reads all that the arguments ask about, in one round trip. */
export async function probeAccount(host: Reader, args: UserArgs): Promise<AccountState> {
  const { name, local } = args;
  const mentioned = [
    ...new Set([...(wantedGroups(args) ?? []), ...(args.group ? [args.group] : [])]),
  ];
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
  const named = mentioned.map((each, i) => [each, groups[i] ?? null] as const);
  return {
    user: known,
    groups: known === null ? [] : membership(host, known, members),
    ...parseShadow(entryOf(shadow, name), args.password),
    hasHome: home !== '' || (await isPredicted(host, args.home ?? known?.home)),
    key: args.generate_ssh_key ? parseKey(sections.slice(5)) : null,
    named: Object.fromEntries(named),
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
if [ -e "$k" ]; then ssh-keygen -lf "$k" 2>/dev/null; fi; printf '\\0'; cat "$k.pub" 2>/dev/null`;
  return sh`p=$(if command -v getent >/dev/null && [ ${args.local ? 1 : 0} = 0 ]; then getent passwd ${name}; else grep -F ${`${name}:`} /etc/passwd; fi)
printf '%s\\0' "$p"
grep -F ${`${name}:`} /etc/shadow 2>/dev/null; printf '\\0'
{ getent group 2>/dev/null || cat /etc/group; } | grep -F ${name}; printf '\\0'
command -v useradd; printf '\\0'
h=${home}; if [ -z "$h" ]; then h=$(printf '%s\n' "$p" | while IFS=: read -r n x u g c d s; do if [ "$n" = ${name} ]; then printf %s "$d"; fi; done); fi
: "\${h:=${`/home/${name}`}}"; if [ -d "$h" ]; then printf x; fi; printf '\\0'
${wantsKey ? key : { line: '' }}`;
}

function localUser(host: Reader, name: string, passwd: string): UserState | undefined {
  const predicted = host.predicted('user', name);
  if (predicted !== undefined) return predicted.state;
  const fields = entryOf(passwd, name);
  if (fields === undefined) return undefined;
  const [, , uid, gid, comment = '', home = '', shell = ''] = fields;
  return { name, uid: Number(uid), gid: Number(gid), comment, home, shell };
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

function parseShadow(fields: readonly string[] | undefined, password: string | undefined) {
  const [, hash = '', , min, max, warn, inactive, expires] = fields ?? [];
  const bare = (text: string) => text.replace(/^!+/, '');
  return {
    hasPassword: password !== undefined && fields !== undefined && bare(hash) === bare(password),
    isLocked: hash.startsWith('!'),
    isUnlockable: bare(hash) !== '',
    hasShadow: fields !== undefined,
    ageing: {
      min: days(min),
      max: days(max),
      warn: days(warn),
      inactive: days(inactive),
      expires: days(expires),
    },
  };
}

function days(field: string | undefined): number | undefined {
  return field === undefined || field === '' || Number(field) < 0 ? undefined : Number(field);
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

async function isPredicted(host: Reader, home: string | undefined): Promise<boolean> {
  if (home === undefined || host.predicted('path', home) === undefined) return false;
  return (await host.path(home)) !== undefined;
}
