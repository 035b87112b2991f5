/** The options of useradd, usermod and busybox's adduser that arguments stand for. */
import { type UserArgs, wantedGroups } from './user-args.ts';
import { dayOf, SECONDS_PER_DAY } from './user-shadow.ts';
import type { AccountState } from './user-state.ts';

export type Words = readonly (string | number)[];

/** An option with its value, or nothing where there is no value. */
export function given(option: string, value: string | number | undefined): Words {
  return value === undefined ? [] : [option, value];
}

/** An option without value. */
export function flag(option: string, isSet: boolean): Words {
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
    ...given('-e', expires && expiryDate(dayOf(expires))),
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
  const uid = other(args.uid, now.user?.uid);
  const day = otherExpiry(now, args);
  return [
    ...changedEntry(now, args),
    ...flag('-o', uid !== undefined && args.non_unique),
    ...changedGroups(now, args),
    ...given('-e', day && expiryDate(day)),
    ...given('-f', otherInactivity(now, args)),
  ];
}

/** Options for what differs in the user's line of passwd, the same in shadow and libuser. */
export function changedEntry({ user, named }: AccountState, args: UserArgs): Words {
  const gid = args.group === undefined ? undefined : named[args.group]?.gid;
  const home = other(args.home, user?.home);
  return [
    ...given('-u', other(args.uid, user?.uid)),
    ...given('-g', other(gid, user?.gid)),
    ...given('-c', other(args.comment, user?.comment)),
    ...given('-d', home),
    ...flag('-m', home !== undefined && args.move_home),
    ...given('-s', other(args.shell, user?.shell)),
  ];
}

/** Days of inactivity where they differ. */
export function otherInactivity({ ageing }: AccountState, args: UserArgs): number | undefined {
  return other(args.password_expire_account_disable, ageing.inactive);
}

/** The wanted value where it is not the present one. */
function other<T>(wanted: T | undefined, present: T | undefined): T | undefined {
  return wanted === present ? undefined : wanted;
}

function changedGroups(now: AccountState, args: UserArgs): Words {
  const { joined, left, wanted } = groupChange(now, args);
  if (args.append) return joined.length === 0 ? [] : ['-a', '-G', joined.join(',')];
  return joined.length === 0 && left.length === 0 ? [] : ['-G', wanted.join(',')];
}

/** The further groups that a user has to join and to leave. */
export function groupChange({ groups, user, named }: AccountState, args: UserArgs) {
  const asked = wantedGroups(args);
  const wanted = asked?.map((each) => named[each]?.name ?? each) ?? [];
  const primary = args.group === undefined ? user?.gid : named[args.group]?.gid;
  const others = wanted.filter((each) => named[each]?.gid !== primary);
  const keepsAll = args.append || asked === undefined;
  return {
    wanted,
    joined: others.filter((each) => !groups.includes(each)),
    left: keepsAll ? [] : groups.filter((each) => !wanted.includes(each)),
  };
}

/** The last day, since 1970, where it is another than the present one; `never` for no end. */
export function otherExpiry(
  { ageing, hasShadow }: AccountState,
  { expires }: UserArgs,
): number | 'never' | undefined {
  if (expires === undefined) return undefined;
  const day = dayOf(expires);
  // Negative days in shadow mean the same as none.
  return hasShadow && day === (ageing.expires ?? 'never') ? undefined : day;
}

/** A day as useradd takes it; empty for never. */
function expiryDate(day: number | 'never'): string {
  return day === 'never' ? '' : new Date(day * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10);
}
