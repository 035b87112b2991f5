import {
  change,
  defineModule,
  type Effect,
  type GroupState,
  type Reader,
  run,
  type Step,
  TaskError,
  type UserState,
} from '../engine/module.ts';
import { boolean, choice, integer, object, optional, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import { checkNames, localEntry, UNKNOWN_ID } from './support/account.ts';
import { primaryUsersOf } from './support/primary-group.ts';

interface Args {
  readonly name: string;
  readonly gid: number | undefined;
  readonly state: 'present' | 'absent';
  readonly system: boolean;
  readonly force: boolean;
  readonly local: boolean;
  readonly non_unique: boolean;
  readonly gid_min: number | undefined;
  readonly gid_max: number | undefined;
}

interface State {
  readonly group: GroupState | null;
  /** Whose primary group it is: they keep it from being removed, and get its number with it. */
  readonly primaryUsers: readonly UserState[];
  /** Who has the number already that it is to get. */
  readonly numberOf: string | null;
  /** Without shadow's tools the host has busybox's. */
  readonly hasShadow: boolean;
}

export const group = defineModule({
  name: 'group',
  aliases: ['ansible.builtin.group'],
  summary: 'Keep a group of users.',

  changesAccounts: true,
  args: object({
    name: string('Group.'),
    gid: optional(integer('Its number.')),
    state: choice(['present', 'absent'], 'Whether the group exists.', { default: 'present' }),
    system: boolean('Make it with a number of the range for system groups.', { default: false }),
    force: boolean('Remove it even where it is the primary group of a user.', { default: false }),
    local: boolean('Look and write only in the files of the host, with the tools of libuser.', {
      default: false,
    }),
    non_unique: boolean('Allow a `gid` that another group has.', { default: false }),
    gid_min: optional(integer('Lowest number that a new group may get.')),
    gid_max: optional(integer('Highest number that a new group may get.')),
  }),
  requiredIf: [{ argument: 'non_unique', value: true, needs: ['gid'] }],

  examples: [
    { title: 'Have a group for administrators', args: { name: 'ops', gid: 2000 } },
    { title: 'Remove a group', args: { name: 'games', state: 'absent' } },
  ],

  returns: {
    name: 'The group.',
    gid: 'Its number.',
    state: '`present` or `absent`.',
    system: 'The argument `system`.',
  },

  async probe(host, args: Args): Promise<State> {
    const { name, local, gid } = args;
    checkNames([name]);
    const asksForNumber = args.state === 'present' && gid !== undefined && !args.non_unique;
    const [found, tools, other] = await Promise.all([
      local ? localGroup(host, name) : host.group(name),
      host.read(sh`command -v groupadd`),
      asksForNumber ? host.group(String(gid)) : undefined,
    ]);
    // A name of digits could have been taken for a number.
    const known = found?.name === name ? found : null;
    const hasShadow = tools.code === 0;
    const isKept = hasShadow && args.state === 'absent' && !args.force;
    const isRenumbered = args.state === 'present' && gid !== undefined && gid !== known?.gid;
    const primaryUsers =
      known !== null && (isKept || isRenumbered) ? await primaryUsersOf(host, known) : [];
    const numberOf = ownerOf(host, other, args);
    return { group: known, primaryUsers, numberOf, hasShadow };
  },

  plan(current, args) {
    const { name, state } = args;
    if (state === 'absent') {
      const [user] = current.primaryUsers;
      if (user !== undefined) throw isPrimaryGroup(args, user.name);
      const steps = [current.group !== null && remove(current, args)];
      const effects =
        current.group === null ? [] : [{ kind: 'group', name, state: undefined } as const];
      return change(current, { ...current, group: null }, steps, { effects });
    }
    const wanted = {
      ...(current.group ?? newGroup(name)),
      ...(args.gid !== undefined && { gid: args.gid }),
    };
    const steps =
      current.group === null
        ? [add(current, args)]
        : [wanted.gid !== current.group.gid && renumber(current, args)];
    const effects = steps.some(Boolean) ? effectsOf(current, wanted) : [];
    return change(current, { ...current, group: wanted }, steps, { effects });
  },

  report({ group: reached }, { name, state, system }) {
    if (state === 'absent') return { name, state };
    const gid = reached === null || reached.gid === UNKNOWN_ID ? {} : { gid: reached.gid };
    return { name, state, system, ...gid };
  },
});

function isPrimaryGroup({ name }: Args, user: string): TaskError {
  return new TaskError(`cannot remove the primary group of user '${user}'`, {
    hint: `give ${user} another primary group first, or remove ${name} with "force: true"`,
    result: { name },
  });
}

function isTaken({ name, gid }: Args, owner: string): TaskError {
  return new TaskError(`GID '${gid}' already exists`, {
    hint: `group ${owner} has it: give ${name} another one, or let both have it with "non_unique: true"`,
    result: { name },
  });
}

/** Who has the number, which an earlier task of a check run may have taken away. */
function ownerOf(host: Reader, found: GroupState | undefined, { name, gid }: Args): string | null {
  if (found === undefined) return null;
  const owner = (host.predicted('group', found.name) ?? { state: found }).state;
  return owner !== undefined && owner.gid === gid && owner.name !== name ? owner.name : null;
}

/** With the number of a group changes that of its users (groupmod(8)). */
function effectsOf({ primaryUsers }: State, wanted: GroupState): Effect[] {
  return [
    { kind: 'group', name: wanted.name, state: wanted },
    ...primaryUsers.map((user): Effect => {
      const state = { ...user, gid: wanted.gid };
      return { kind: 'user', name: user.name, state };
    }),
  ];
}

function newGroup(name: string): GroupState {
  return { name, gid: UNKNOWN_ID, members: [] };
}

async function localGroup(host: Reader, name: string): Promise<GroupState | undefined> {
  const predicted = host.predicted('group', name);
  const fields = await localEntry(host, '/etc/group', name);
  if (predicted !== undefined) return predicted.state;
  if (fields === undefined) return undefined;
  const [, , gid, members = ''] = fields;
  return { name, gid: Number(gid), members: members.split(',').filter((each) => each !== '') };
}

function add({ hasShadow, numberOf }: State, args: Args): Step {
  if (numberOf !== null) throw isTaken(args, numberOf);
  const { name, gid, system, non_unique: nonUnique, gid_min: min, gid_max: max, local } = args;
  const failure = `cannot add group ${name}`;
  const number = gid === undefined ? [] : ['-g', gid];
  if (!hasShadow && !local)
    return run(sh`addgroup ${[...number, ...(system ? ['-S'] : []), name]}`, { failure });
  const options = [
    ...number,
    ...(nonUnique ? ['-o'] : []),
    ...(system ? ['-r'] : []),
    ...(min === undefined ? [] : ['-K', `GID_MIN=${min}`]),
    ...(max === undefined ? [] : ['-K', `GID_MAX=${max}`]),
  ];
  return run(sh`${tool('groupadd', args)} ${[...options, name]}`, { failure });
}

function renumber({ numberOf }: State, args: Args): Step {
  if (numberOf !== null) throw isTaken(args, numberOf);
  const { name, gid = UNKNOWN_ID, non_unique: nonUnique } = args;
  const options = ['-g', gid, ...(nonUnique ? ['-o'] : [])];
  return run(sh`${tool('groupmod', args)} ${[...options, name]}`, {
    failure: `cannot change group ${name}`,
  });
}

function remove({ hasShadow }: State, args: Args): Step {
  const { name, force, local } = args;
  const failure = `cannot remove group ${name}`;
  if (!hasShadow && !local) return run(sh`delgroup ${name}`, { failure });
  return run(sh`${tool('groupdel', args)} ${[...(force && !local ? ['-f'] : []), name]}`, {
    failure,
  });
}

function tool(name: string, { local }: Args): string {
  return local ? `l${name}` : name;
}
