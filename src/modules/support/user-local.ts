/** The tools of libuser, which change only the files of the host; they have fewer options than those of shadow. */
import { run, type Step, TaskError } from '../../engine/module.ts';
import { type Command, sh } from '../../shared/shell.ts';
import type { UserArgs } from './user-args.ts';
import {
  changedEntry,
  flag,
  given,
  groupChange,
  otherExpiry,
  otherInactivity,
} from './user-options.ts';
import type { AccountState } from './user-state.ts';

/** Steps that make a user. */
export function addLocally(now: AccountState, args: UserArgs): Step[] {
  const { name, group, create_home: createsHome } = args;
  for (const option of ['umask', 'uid_min', 'uid_max'] as const) {
    if (args[option] !== undefined) throw new TaskError(`'${option}' can not be used with 'local'`);
  }
  const options = [
    ...given('-u', args.uid),
    ...(group === undefined ? flag('-n', now.hasOwnGroup) : ['-g', group]),
    ...given('-c', args.comment),
    ...given('-d', args.home),
    ...given('-s', args.shell),
    ...(createsHome ? given('-k', args.skeleton) : ['-M']),
    ...flag('-r', args.system),
  ];
  return steps(`cannot add user ${name}`, [
    sh`luseradd ${[...options, name]}`,
    ...further(now, args),
  ]);
}

/** Steps that change what differs. */
export function changeLocally(now: AccountState, args: UserArgs): Step[] {
  const { name } = args;
  const options = changedEntry(now, args);
  const changed = options.length > 0 ? [sh`lusermod ${[...options, name]}`] : [];
  return steps(`cannot change user ${name}`, [...changed, ...further(now, args)]);
}

/** Groups and the end of the account are not in the options of luseradd and lusermod. */
function further(now: AccountState, args: UserArgs): Command[] {
  const { name } = args;
  const { joined, left } = groupChange(now, args);
  const day = otherExpiry(now, args);
  const ageing = [
    ...given('-E', day === 'never' ? -1 : day),
    ...given('-I', otherInactivity(now, args)),
  ];
  return [
    ...joined.map((group) => sh`lgroupmod -M ${name} ${group}`),
    ...left.map((group) => sh`lgroupmod -m ${name} ${group}`),
    ...(ageing.length > 0 ? [sh`lchage ${[...ageing, name]}`] : []),
  ];
}

function steps(failure: string, commands: readonly Command[]): Step[] {
  return commands.map((command) => run(command, { failure }));
}
