/** The options of useradd, usermod and busybox's adduser that arguments stand for. */
import { type UserArgs, wantedGroups } from './user-args.ts';
import type { AccountState } from './user-state.ts';

export type Words = readonly (string | number)[];

const SECONDS_PER_DAY = 86_400;

/** An option with its value, or nothing where there is no value. */
export function given(option: string, value: string | number | undefined): Words {
  return value === undefined ? [] : [option, value];
}

function flag(option: string, isSet: boolean): Words {
  return isSet ? [option] : [];
}

/** Options of useradd. */
export function newOptions(now: AccountState, args: UserArgs): Words {
  const { uid, uid_min: min, uid_max: max, expires, create_home: createsHome } = args;
  const groups = wantedGroups(args) ?? [];
  return [
    ...given('-u', uid),
    ...flag('-o', uid !== undefined && args.non_unique),
    ...primaryGroup(now, args),
    ...given('-G', groups.join(',') || undefined),
    ...given('-c', args.comment),
    ...given('-d', args.home),
    ...given('-s', args.shell),
    ...given('-e', expires && expiryDate(expires)),
    ...given('-f', args.password_expire_account_disable),
    ...(createsHome ? homeOptions(args) : ['-M']),
    ...flag('-r', args.system),
    ...given('-K', min && `UID_MIN=${min}`),
    ...given('-K', max && `UID_MAX=${max}`),
    ...given('-Z', args.seuser),
  ];
}

function homeOptions({ skeleton, umask }: UserArgs): Words {
  return ['-m', ...given('-k', skeleton), ...given('-K', umask && `UMASK=${umask}`)];
}

/** Without a group of its own, and where one of its name is there already, a user must not get one made. */
function primaryGroup({ hasOwnGroup }: AccountState, { group }: UserArgs): Words {
  return group === undefined ? flag('-N', hasOwnGroup) : ['-g', group];
}

/** Options of busybox's adduser. */
export function busyboxOptions(args: UserArgs, home: string): Words {
  const { group, create_home: createsHome } = args;
  return [
    ...['-D', '-h', home],
    ...given('-u', args.uid),
    ...given('-G', group),
    ...given('-g', args.comment),
    ...given('-s', args.shell),
    ...(createsHome ? given('-k', args.skeleton) : ['-H']),
    ...flag('-S', args.system),
  ];
}

/** Options of usermod for what differs; none where nothing does. */
export function changedOptions(now: AccountState, args: UserArgs): Words {
  const { user, named, ageing } = now;
  const gid = args.group === undefined ? undefined : named[args.group]?.gid;
  const uid = other(args.uid, user?.uid);
  const home = other(args.home, user?.home);
  return [
    ...given('-u', uid),
    ...flag('-o', uid !== undefined && args.non_unique),
    ...given('-g', other(gid, user?.gid)),
    ...changedGroups(now, args),
    ...given('-c', other(args.comment, user?.comment)),
    ...given('-d', home),
    ...flag('-m', home !== undefined && args.move_home),
    ...given('-s', other(args.shell, user?.shell)),
    ...given('-e', otherExpiry(now, args)),
    ...given('-f', other(args.password_expire_account_disable, ageing.inactive)),
  ];
}

/** The wanted value where it is not the present one. */
function other<T>(wanted: T | undefined, present: T | undefined): T | undefined {
  return wanted === present ? undefined : wanted;
}

function changedGroups({ groups, user, named }: AccountState, args: UserArgs): Words {
  const wanted = wantedGroups(args)?.map((each) => named[each]?.name ?? each);
  if (wanted === undefined) return [];
  const primary = args.group === undefined ? user?.gid : named[args.group]?.gid;
  const others = wanted.filter((each) => named[each]?.gid !== primary);
  const missing = others.filter((each) => !groups.includes(each));
  if (args.append) return missing.length === 0 ? [] : ['-a', '-G', missing.join(',')];
  const isSame = missing.length === 0 && groups.every((each) => wanted.includes(each));
  return isSame ? [] : ['-G', wanted.join(',')];
}

/** The day of another end than the present one; negative days in shadow mean the same as none. */
function otherExpiry({ ageing }: AccountState, { expires }: UserArgs): string | undefined {
  if (expires === undefined) return undefined;
  const day = expires < 0 ? undefined : Math.floor(expires / SECONDS_PER_DAY);
  return day === ageing.expires ? undefined : expiryDate(expires);
}

/** A day as useradd takes it; empty for never. */
function expiryDate(seconds: number): string {
  return seconds < 0 ? '' : new Date(seconds * 1000).toISOString().slice(0, 10);
}
