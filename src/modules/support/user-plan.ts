/** The commands that make a user what the arguments say. */
import { run, type Step, TaskError } from '../../engine/module.ts';
import { joinCommands, sh } from '../../shared/shell.ts';
import { makeSshKey } from './ssh-key.ts';
import { type UserArgs, wantedGroups } from './user-args.ts';
import { addLocally, changeLocally } from './user-local.ts';
import { busyboxOptions, changedOptions, given, newOptions, type Words } from './user-options.ts';
import type { AccountState } from './user-state.ts';

/** Steps for a user that is to exist. Throws TaskError where a group is missing or busybox cannot do it. */
export function planPresent(now: AccountState, args: UserArgs): (Step | false)[] {
  for (const [name, group] of Object.entries(now.named)) {
    if (group === null)
      throw new TaskError(`Group ${name} does not exist`, { hint: 'make it first' });
  }
  const home = args.home ?? now.user?.home ?? `/home/${args.name}`;
  const account = now.user === null ? planNew(now, args, home) : planChanges(now, args);
  const hasKey = now.key?.exists === true || now.key?.hasPublic === true;
  const needsKey = args.generate_ssh_key && (!hasKey || args.force);
  return [...account, planAgeing(now, args), needsKey && makeSshKey(args, home)];
}

/** Steps for a user that is not to exist. */
export function planAbsent(
  now: AccountState,
  { name, remove, force, local }: UserArgs,
): (Step | false)[] {
  if (now.user === null) return [];
  const failure = `cannot remove user ${name}`;
  if (now.tools === 'busybox' && !local) {
    return [run(sh`deluser ${[...(remove ? ['--remove-home'] : []), name]}`, { failure })];
  }
  const options = [...(force && !local ? ['-f'] : []), ...(remove ? ['-r'] : [])];
  return [run(sh`${tool('userdel', local)} ${[...options, name]}`, { failure })];
}

function planNew(now: AccountState, args: UserArgs, home: string): (Step | false)[] {
  const { name, password, password_lock: lock, home: given, create_home: createsHome } = args;
  const isLocked = lock === true ? '!' : '';
  // useradd does not make the directories above the home directory.
  const parent = given?.replace(/\/[^/]*$/, '') ?? '';
  return [
    createsHome &&
      parent !== '' &&
      parent !== '/home' &&
      quietly(`mkdir -p ${parent}`, sh`mkdir -p -- ${parent}`),
    ...(args.local ? addLocally(now, args) : [add(now, args, home)]),
    password !== undefined && setPassword(name, isLocked + password),
  ];
}

function quietly(what: string, command: ReturnType<typeof sh>): Step {
  return run(command, { quiet: true, always: true, failure: `cannot ${what}` });
}

function add(now: AccountState, args: UserArgs, home: string): Step {
  const { name } = args;
  const failure = `cannot add user ${name}`;
  if (now.tools === 'busybox') return run(addWithBusybox(args, home), { failure });
  return run(sh`useradd ${[...newOptions(now, args), name]}`, { failure });
}

function addWithBusybox(args: UserArgs, home: string) {
  const { name } = args;
  const joins = (wantedGroups(args) ?? []).map((each) => sh` && addgroup ${name} ${each}`);
  return sh`adduser ${[...busyboxOptions(args, home), name]}${joinCommands(joins, '')}`;
}

function planChanges(now: AccountState, args: UserArgs): (Step | false)[] {
  const { name, password, update_password: when, local } = args;
  const changesPassword = password !== undefined && when === 'always' && !now.hasPassword;
  const prefix = args.password_lock === true ? '!' : '';
  return [
    ...(local ? changeLocally(now, args) : changeEntry(now, args)),
    changesPassword && setPassword(name, prefix + password),
    !changesPassword && planLock(now, args),
    args.create_home && !now.hasHome && makeHome(args, args.home ?? now.user?.home ?? ''),
  ];
}

function changeEntry(now: AccountState, args: UserArgs): Step[] {
  const { name } = args;
  const options = changedOptions(now, args);
  if (options.length === 0) return [];
  if (now.tools === 'busybox') {
    throw new TaskError(`busybox cannot change the existing user ${name}`, {
      hint: 'install the package shadow on the host',
    });
  }
  checkMove(now, args);
  return [run(sh`usermod ${[...options, name]}`, { failure: `cannot change user ${name}` })];
}

/** usermod(8) moves a home directory only to where nothing is. */
function checkMove(now: AccountState, { home, move_home: isMoved }: UserArgs): void {
  if (!isMoved || home === undefined || home === now.user?.home || !now.hasHome) return;
  throw new TaskError(`directory ${home} exists`, {
    hint: 'remove it first, or leave out move_home',
  });
}

function planLock(now: AccountState, { name, password_lock: lock, local }: UserArgs): Step | false {
  if (lock === undefined || lock === now.isLocked) return false;
  if (!lock && !now.isUnlockable) return false;
  if (now.tools === 'busybox' && !local) return run(sh`passwd ${lock ? '-l' : '-u'} ${name}`);
  return run(sh`${tool('usermod', local)} ${lock ? '-L' : '-U'} ${name}`, {
    failure: `cannot ${lock ? 'lock' : 'unlock'} the password of ${name}`,
  });
}

/** A hash in an argument could be read by every user: it goes through stdin. */
function setPassword(name: string, hash: string): Step {
  return run(sh`chpasswd -e`, {
    stdin: `${name}:${hash}\n`,
    failure: `cannot set the password of ${name}`,
  });
}

function planAgeing({ ageing }: AccountState, args: UserArgs): Step | false {
  const { name, local } = args;
  const { password_expire_max: max, password_expire_min: min, password_expire_warn: warn } = args;
  const options: Words = [
    ...(max === ageing.max ? [] : given('-M', max)),
    ...(min === ageing.min ? [] : given('-m', min)),
    ...(warn === ageing.warn ? [] : given('-W', warn)),
  ];
  if (options.length === 0) return false;
  return run(sh`${tool('chage', local)} ${[...options, name]}`, {
    failure: `cannot change the ageing of the password of ${name}`,
  });
}

/** Makes the home directory of a user that exists, with the mode that useradd would give it. */
function makeHome({ name, skeleton = '/etc/skel', umask = '' }: UserArgs, home: string): Step {
  const command = sh`[ ! -d ${home} ] || exit 0
mkdir -p -- ${home} && cp -R -- ${skeleton}/. ${home}/ && chown -R -- ${name}: ${home} || exit 1
u=${umask}; m=
if [ -z "$u" ]; then while read -r k v r; do case $k in HOME_MODE) m=$v;; UMASK) u=$v;; esac; done </etc/login.defs 2>/dev/null; fi
[ -n "$m" ] || m=$(printf %o $((0777 & ~0\${u:-022}))); chmod -- "$m" ${home}`;
  return run(command, { failure: `cannot make the home directory of ${name}` });
}

function tool(name: string, local: boolean): string {
  return local ? `l${name}` : name;
}
