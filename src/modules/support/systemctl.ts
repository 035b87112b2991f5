/** Calls of systemctl, and what the state of a unit means to the systemd module. */
import type { UnitState, Value } from '../../engine/module.ts';
import { boolean, choice, optional } from '../../shared/schema.ts';
import { type Command, sh } from '../../shared/shell.ts';

export type Scope = 'system' | 'user' | 'global';

export const UNIT_STATES = ['started', 'stopped', 'restarted', 'reloaded'] as const;

/** Arguments that only systemd has. */
export const unitOptions = {
  masked: optional(boolean('Whether systemd cannot start it at all.')),
  daemon_reload: boolean('Let systemd read changed unit files first. Never counts as a change.', {
    default: false,
    aliases: ['daemon-reload'],
  }),
  daemon_reexec: boolean('Start systemd anew first. Never counts as a change.', {
    default: false,
    aliases: ['daemon-reexec'],
  }),
  scope: choice(
    ['system', 'user', 'global'],
    'The systemd: of the host, of the user of the task, or of every user.',
    { default: 'system' },
  ),
  no_block: boolean('Do not wait until systemd has done what it is told.', { default: false }),
  force: boolean('Let systemd replace links that are in the way.', { default: false }),
};

const RELOADS = ['daemon_reload', 'daemon-reload', 'daemon_reexec', 'daemon-reexec'];

/** Whether systemd is told something whatever the state of the unit. */
export function alwaysActs(args: ReadonlyMap<string, Value>): boolean {
  const state = args.get('state');
  return (
    state === 'restarted' ||
    state === 'reloaded' ||
    RELOADS.some((option) => args.get(option) === true)
  );
}

export interface SystemctlOptions {
  readonly scope: Scope;
  readonly no_block: boolean;
  readonly force: boolean;
}

/** A systemctl command for a manager. The user's manager is found without a login session too. */
export function systemctl(words: readonly string[], options: SystemctlOptions): Command {
  const { scope, no_block: noBlock, force } = options;
  const flags = [
    ...(scope === 'system' ? [] : [`--${scope}`]),
    ...(noBlock ? ['--no-block'] : []),
    ...(force ? ['--force'] : []),
  ];
  const call = sh`systemctl ${[...flags, ...words]}`;
  if (scope !== 'user') return call;
  return sh`XDG_RUNTIME_DIR="\${XDG_RUNTIME_DIR:-/run/user/$(id -u)}" ${call}`;
}

/** Whether starting it would do nothing. */
export function isRunning({ active }: Pick<UnitState, 'active'>): boolean {
  return active === 'active' || active === 'activating';
}

export function isMasked({ enabled }: Pick<UnitState, 'enabled'>): boolean {
  return enabled.startsWith('masked');
}

/**
 * States for which `systemctl is-enabled` succeeds, without two: `indirect` is not enabled by itself, and
 * `enabled-runtime` is only until the next start of the host.
 */
const ENABLED = ['enabled', 'static', 'alias', 'generated', 'transient'];

export function isEnabled({ enabled }: Pick<UnitState, 'enabled'>): boolean {
  return ENABLED.includes(enabled);
}

/** Whether enabling and disabling leave the state as it is: the unit has no say in when it is started. */
export function hasNoInstallSection({ enabled }: Pick<UnitState, 'enabled'>): boolean {
  return enabled === 'static' || enabled === 'transient';
}

/** Whether a unit that was started without error may rightly be inactive. */
export function endsByItself({ properties }: Pick<UnitState, 'properties'>): boolean {
  const isTask = properties['Type'] === 'oneshot' && properties['RemainAfterExit'] !== 'yes';
  const wasTried = Number(properties['ConditionTimestampMonotonic'] ?? 0) > 0;
  return isTask || (wasTried && properties['ConditionResult'] === 'no');
}
