import {
  change,
  defineModule,
  type Effect,
  type StepOutput,
  type UserState,
} from '../engine/module.ts';
import { UNKNOWN_ID } from './support/account.ts';
import { looksUnhashed } from './support/password-hash.ts';
import { type UserArgs, userArgs, wantedGroups } from './support/user-args.ts';
import { ownerEffects } from './support/user-files.ts';
import { homeEffects, keyEffects, movedHomeEffects } from './support/user-home.ts';
import { planAbsent, planPresent } from './support/user-plan.ts';
import { shadowAfter } from './support/user-shadow.ts';
import { type AccountState, probeAccount } from './support/user-state.ts';

export const user = defineModule({
  name: 'user',
  aliases: ['ansible.builtin.user'],
  summary: 'Keep a user with their groups, home directory, password and SSH key.',

  changesAccounts: true,
  args: userArgs,

  examples: [
    {
      title: 'Have an administrator',
      args: { name: 'ada', groups: ['sudo', 'adm'], append: true },
    },
    {
      title: 'Have a system user without a home',
      args: { name: 'etcd', system: true, create_home: false, shell: '/usr/sbin/nologin' },
    },
    {
      title: 'Remove a user with all their files',
      args: { name: 'bob', state: 'absent', remove: true },
    },
  ],

  returns: {
    name: 'The user.',
    state: '`present` or `absent`.',
    uid: 'Their number.',
    group: 'The number of their primary group.',
    groups: 'The argument `groups`, joined by commas.',
    comment: 'Full name, or another remark.',
    home: 'Home directory.',
    shell: 'Login shell.',
    append: 'The argument `append`, for a user that was there.',
    move_home: 'The argument `move_home`, for a user that was there.',
    create_home: 'The argument `create_home`, for a new user.',
    system: 'The argument `system`, for a new user.',
    remove: 'The argument `remove`, for a removed user.',
    force: 'The argument `force`, for a removed user.',
    password: 'A word in place of the password.',
    ssh_key_file: 'File of the SSH key.',
    ssh_fingerprint: 'Fingerprint of the SSH key.',
    ssh_public_key: 'Public part of the SSH key.',
    stderr: 'What the tools that were run had to say.',
  },

  probe: (host, args: UserArgs): Promise<AccountState> => probeAccount(host, args),

  plan(now, args) {
    if (args.state === 'absent') {
      const steps = planAbsent(now, args);
      const effects = now.user === null ? [] : removalOf(now, now.user, args);
      return change(now, { ...now, user: null, groups: [] }, steps, { effects });
    }
    const steps = planPresent(now, args).filter((step) => step !== false);
    const after = goal(now, args);
    const effects = steps.length === 0 ? [] : effectsOf(now, after, args);
    return change(now, after, steps, { effects, warnings: warningsOf(now, args) });
  },

  report(reached, args, { before }, outputs) {
    const { name, state, force, remove, append, move_home, create_home, system, password } = args;
    const existed = before.user !== null;
    if (state === 'absent') {
      return { name, state, ...(existed && { force, remove }), ...complaints(outputs) };
    }
    const { user: now } = reached;
    const groups = wantedGroups(args);
    return {
      name,
      state,
      ...(existed ? { append, move_home } : { create_home, system }),
      ...(now !== null && described(now)),
      ...(groups !== undefined && { groups: groups.join(',') }),
      ...(password !== undefined && { password: 'NOT_LOGGING_PASSWORD' }),
      ...keyOf(reached, args, outputs),
      ...complaints(outputs),
    };
  },
});

function described({ uid, gid, comment, home, shell }: UserState) {
  const numbers = uid === UNKNOWN_ID ? {} : { uid };
  return { ...numbers, ...(gid !== UNKNOWN_ID && { group: gid }), comment, home, shell };
}

/** What the tools had to say although they succeeded. */
function complaints(outputs: readonly StepOutput[]) {
  const stderr = outputs.map((output) => output.stderr).join('');
  return stderr === '' ? {} : { stderr };
}

/** A key that was replaced is described by the step that made it. */
function keyOf({ key, user: now }: AccountState, args: UserArgs, outputs: readonly StepOutput[]) {
  if (!args.generate_ssh_key || key === null) return {};
  const [made = '', text = ''] = outputs.at(-1)?.stdout.split('\0') ?? [];
  const file = key.file.startsWith('/') ? key.file : `${now?.home}/${key.file}`;
  return {
    ssh_key_file: file,
    ssh_fingerprint: made.trim() || key.fingerprint,
    ssh_public_key: text.trim() || key.publicKey,
  };
}

/** The account as it will be. */
function goal(now: AccountState, args: UserArgs): AccountState {
  const { name } = args;
  const fresh: UserState = {
    ...{ name, uid: UNKNOWN_ID, gid: UNKNOWN_ID, comment: '' },
    ...{ home: `/home/${name}`, shell: '/bin/sh' },
  };
  const base = now.user ?? fresh;
  const primary = args.group === undefined ? undefined : now.named[args.group];
  const wanted = wantedGroups(args) ?? (now.user === null ? [] : now.groups);
  return {
    ...now,
    user: {
      name,
      uid: args.uid ?? base.uid,
      gid: primary?.gid ?? base.gid,
      comment: args.comment ?? base.comment,
      home: args.home ?? base.home,
      shell: args.shell ?? base.shell,
      shadow: shadowAfter(now, args),
    },
    groups: args.append ? [...new Set([...now.groups, ...wanted])] : wanted,
    hasHome: now.hasHome || args.create_home,
  };
}

function effectsOf(now: AccountState, after: AccountState, args: UserArgs): Effect[] {
  const { user: state } = after;
  if (state === null) return [];
  const { name } = args;
  const makesGroup = now.user === null && args.group === undefined && !now.hasOwnGroup;
  const joined = Object.values(now.named).filter(
    (group) => group !== null && after.groups.includes(group.name) && !group.members.includes(name),
  );
  return [
    { kind: 'user', name, state },
    ...(makesGroup ? [groupEffect({ name, gid: UNKNOWN_ID, members: [] })] : []),
    ...joined.flatMap((group) =>
      group === null ? [] : [groupEffect({ ...group, members: [...group.members, name] })],
    ),
    ...(now.user === null ? [] : ownerEffects(now.homeFiles, now.user, state)),
    ...homesOf(now, after, args),
    ...(madeKey(now, args) ? keyEffects(state, keyFile(args), now.hasKeyDirectory === true) : []),
  ];
}

function homesOf(now: AccountState, after: AccountState, args: UserArgs): Effect[] {
  const { user: state } = after;
  if (state === null) return [];
  const from = now.user?.home;
  const isMoved = args.move_home && from !== undefined && from !== state.home && !now.hasHome;
  if (isMoved) return movedHomeEffects(state, from);
  return after.hasHome && !now.hasHome && now.newHome ? homeEffects(state, now.newHome) : [];
}

function madeKey({ key }: AccountState, { generate_ssh_key: wanted, force }: UserArgs): boolean {
  return wanted && (force || !(key?.exists === true || key?.hasPublic === true));
}

function keyFile({ ssh_key_file: file, ssh_key_type: type }: UserArgs): string {
  return file ?? `.ssh/id_${type}`;
}

/** With the user goes the group of their own, and where it is asked for their home directory. */
function removalOf(now: AccountState, { home }: UserState, { name, remove }: UserArgs): Effect[] {
  return [
    { kind: 'user', name, state: undefined },
    ...(now.hasOwnGroup ? [{ kind: 'group', name, state: undefined } as const] : []),
    ...(remove ? [{ kind: 'path', name: home, state: undefined } as const] : []),
  ];
}

function groupEffect(state: Extract<Effect, { kind: 'group' }>['state'] & object): Effect {
  return { kind: 'group', name: state.name, state };
}

function warningsOf(now: AccountState, args: UserArgs): string[] {
  const { password, append, groups, generate_ssh_key: wantsKey, force, password_lock: lock } = args;
  return [
    ...(password !== undefined && looksUnhashed(password)
      ? [
          "The input password appears not to have been hashed. The 'password' argument must be encrypted " +
            'for this module to work properly.',
        ]
      : []),
    ...(append && groups === undefined
      ? ["'append' is set, but no 'groups' are specified. Use 'groups' for appending new groups."]
      : []),
    ...(wantsKey && !force ? keptKey(now.key) : []),
    ...(lock === false && now.isLocked && !now.isUnlockable && password === undefined
      ? [`${args.name} has no password that could be unlocked`]
      : []),
  ];
}

function keptKey(key: AccountState['key']): string[] {
  if (key === null || !(key.exists || key.hasPublic)) return [];
  const kept = key.exists ? `private file "${key.file}"` : `public file "${key.file}.pub"`;
  return [`Found existing ssh key ${kept}, no force, so skipping ssh-keygen generation`];
}
