import {
  change,
  defineModule,
  type Effect,
  type Reader,
  run,
  type Step,
  TaskError,
  type UnitState,
} from '../engine/module.ts';
import { boolean, choice, object, optional, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';
import { readMeant } from './support/meant-unit.ts';
import {
  alwaysActs,
  endsByItself,
  hasNoInstallSection,
  isEnabled,
  isMasked,
  isRunning,
  type Scope,
  systemctl,
  UNIT_STATES,
  unitOptions,
} from './support/systemctl.ts';
import { checkMask, maskEffects } from './support/unit-links.ts';

interface Args {
  readonly name: string | undefined;
  readonly state: 'started' | 'stopped' | 'restarted' | 'reloaded' | undefined;
  readonly enabled: boolean | undefined;
  readonly masked: boolean | undefined;
  readonly daemon_reload: boolean;
  readonly daemon_reexec: boolean;
  readonly scope: Scope;
  readonly no_block: boolean;
  readonly force: boolean;
}

/** A unit, or none where only the manager is concerned. Of one that is missing, the unit that may be meant. */
type State = (UnitState & { readonly meant?: string | undefined }) | null;

export const systemdService = defineModule({
  name: 'systemd_service',
  aliases: ['ansible.builtin.systemd_service', 'systemd', 'ansible.builtin.systemd'],
  summary: 'Keep a systemd unit running or stopped, enabled or masked.',

  args: object({
    name: optional(
      string('Unit; `.service` need not be written.', { aliases: ['service', 'unit'] }),
    ),
    state: optional(
      choice(
        UNIT_STATES,
        'What the unit does. `restarted` and `reloaded` are a change each time; both start a stopped unit.',
      ),
    ),
    enabled: optional(boolean('Whether it is started at boot.')),
    ...unitOptions,
  }),
  requiredBy: { state: ['name'], enabled: ['name'], masked: ['name'] },

  examples: [
    {
      title: 'Run a unit now and at boot',
      args: { name: 'containerd', state: 'started', enabled: true },
    },
    {
      title: 'Restart a unit whose file was changed',
      args: { name: 'kubelet', state: 'restarted', daemon_reload: true },
    },
    { title: 'Make a timer impossible', args: { name: 'apt-daily.timer', masked: true } },
  ],

  returns: {
    name: 'The unit, as it was given.',
    state: '`started` or `stopped`.',
    enabled: 'Whether it is started at boot.',
    status: 'Properties of the unit before the task, as `systemctl show` prints them.',
  },

  alwaysActs,

  async probe(host, { name, state, enabled, masked, scope, force }: Args): Promise<State> {
    if (name === undefined || hasWildcard(name)) return null;
    const unit = await host.unit(name, scope);
    if (masked) await checkMask(host, unit, { scope, force });
    if (await isOffline(host, unit, scope))
      return {
        ...unit,
        exists: true,
        active: OFFLINE,
        enabled: await askEnabled(host, name, scope),
      };
    if (!unit.exists && (state !== undefined || enabled !== undefined))
      return { ...unit, meant: await readMeant(host, name, scope) };
    const isAsked = enabled !== undefined && ['generated', 'indirect'].includes(unit.enabled);
    return isAsked ? { ...unit, enabled: await askEnabled(host, name, scope) } : unit;
  },

  plan(unit, args) {
    const { name, daemon_reload, daemon_reexec } = args;
    if (name !== undefined) checkUnit(unit, name, args);
    const marks = { quiet: true, always: true };
    const manager = [
      daemon_reexec &&
        run(systemctl(['daemon-reexec'], args), {
          ...marks,
          failure: 'failure during daemon-reexec',
        }),
      daemon_reload &&
        run(systemctl(['daemon-reload'], args), {
          ...marks,
          failure: 'failure during daemon-reload',
        }),
    ];
    if (unit === null || name === undefined) return change(unit, unit, manager);
    const after = goal(unit, args);
    const steps = [...manager, planMask(unit, args), planEnable(unit, args), planState(unit, args)];
    const warnings = unit.active === OFFLINE ? [OFFLINE_WARNING] : [];
    return change(unit, after, steps, { effects: effectsOf(unit, after, args), warnings });
  },

  report(_reached, { name, state, enabled }, { before }) {
    return {
      name: name ?? null,
      status: before?.properties ?? {},
      ...(state !== undefined && { state: state === 'stopped' ? 'stopped' : 'started' }),
      ...(enabled !== undefined && { enabled }),
    };
  },
});

/** Of a unit in a chroot or an image, where no systemd runs: it can be enabled, and not started. */
const OFFLINE = 'offline';
const OFFLINE_WARNING =
  'Target is a chroot or systemd is offline. This can lead to false positives or prevent the init system tools from working.';

async function isOffline(host: Reader, unit: UnitState, scope: Scope): Promise<boolean> {
  if (unit.exists || scope !== 'system' || Object.keys(unit.properties).length > 0) return false;
  const { stdout } = await host.read(sh`systemctl show 2>&1`);
  return /^Running in chroot, ignoring/m.test(stdout);
}

/** Whether a unit is enabled, where its own state does not say: of SysV scripts, and of units that only enable others. */
async function askEnabled(host: Reader, name: string, scope: Scope): Promise<string> {
  const words = ['is-enabled', '--full', '--', name];
  const call = systemctl(words, { scope, no_block: false, force: false });
  const { stdout } = await host.read(sh`${call} 2>/dev/null`);
  const [state = '', ...links] = stdout.trim().split('\n');
  return state === 'indirect' && links.length > 0 ? 'enabled' : state;
}

function hasWildcard(name: string): boolean {
  return /[*?[]/.test(name);
}

function checkUnit(unit: State, name: string, { state, enabled, scope }: Args): void {
  const wildcard = /[*?[]/.exec(name)?.[0];
  if (wildcard !== undefined || unit === null) {
    throw new TaskError(
      `This module does not currently support using glob patterns, found '${wildcard}' in service name: ${name}`,
    );
  }
  const { LoadError: loadError, LoadState: loadState } = unit.properties;
  if (unit.exists && loadError && loadState !== 'masked') {
    throw new TaskError(`Error loading unit file '${name}': ${loadError}`);
  }
  if (unit.exists || (state === undefined && enabled === undefined)) return;
  const guess = unit.meant === undefined ? undefined : `did you mean "${unit.meant}"?`;
  const isSilent = Object.keys(unit.properties).length === 0 && scope !== 'global';
  throw new TaskError(`Could not find the requested service ${name}: host`, {
    hint: isSilent
      ? `systemctl does not answer for scope ${scope}`
      : (guess ?? 'install the package that ships the unit, or write its file, first'),
  });
}

function planMask(unit: UnitState, args: Args): Step | false {
  const { masked, name = '' } = args;
  if (masked === undefined || masked === isMasked(unit)) return false;
  const verb = masked ? 'mask' : 'unmask';
  return run(systemctl([verb, '--', name], args), {
    failure: `Failed to ${verb} the service (${name})`,
  });
}

function planEnable(unit: UnitState, args: Args): Step | false {
  const { enabled, masked, name = '' } = args;
  if (enabled === undefined || hasNoInstallSection(unit)) return false;
  // What an unmasked unit is can only be known afterwards; both commands may be repeated.
  const isUnknown = masked === false && isMasked(unit);
  if (enabled === isEnabled(unit) && !isUnknown) return false;
  const verb = enabled ? 'enable' : 'disable';
  return run(systemctl([verb, '--', name], args), {
    failure: `Unable to ${verb} service ${name}`,
    ...(enabled && unit.enabled === 'indirect' && { always: true }),
  });
}

function planState(unit: UnitState, args: Args): Step | false {
  const verb = verbOf(unit, args.state);
  if (verb === undefined || unit.active === OFFLINE) return false;
  const { name = '', no_block: noBlock } = args;
  const isRepeated = verb === 'restart' || verb === 'reload' || noBlock;
  const always =
    isRepeated || args.state === 'reloaded' || (verb === 'start' && endsByItself(unit));
  return run(systemctl([verb, '--', name], args), {
    failure: `Unable to ${verb} service ${name}`,
    ...((always || args.state === 'restarted') && { always: true }),
  });
}

function verbOf(unit: UnitState, state: Args['state']): string | undefined {
  if (state === undefined) return undefined;
  if (state === 'stopped') {
    return isRunning(unit) || unit.active === 'deactivating' ? 'stop' : undefined;
  }
  if (!isRunning(unit)) return 'start';
  return { started: undefined, restarted: 'restart', reloaded: 'reload' }[state];
}

/** The unit as it will be. */
function goal(unit: UnitState, { state, enabled, masked }: Args): UnitState {
  const isKept = state === undefined || unit.active === OFFLINE;
  const active = isKept ? unit.active : state === 'stopped' ? 'inactive' : 'active';
  const isSettled =
    enabled === undefined || hasNoInstallSection(unit) || enabled === isEnabled(unit);
  const wanted = enabled === true ? 'enabled' : 'disabled';
  const now = masked === false && isMasked(unit) ? 'disabled' : unit.enabled;
  const unmasked = isSettled && now === unit.enabled ? now : wanted;
  const isHidden = masked ?? isMasked(unit);
  return { ...unit, exists: true, active, enabled: isHidden ? 'masked' : unmasked };
}

function effectsOf(unit: UnitState, after: UnitState, { scope }: Args): Effect[] {
  const { name, active, enabled } = after;
  if (active === unit.active && enabled === unit.enabled) return [];
  return [
    ...maskEffects(unit, after, scope),
    {
      kind: 'unit',
      name,
      ...(active !== unit.active && { active }),
      ...(enabled !== unit.enabled && { enabled }),
    },
  ];
}
