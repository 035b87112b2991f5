import { UnknownState } from '../../shared/errors.ts';
import type { Effect, UnitState } from '../host-contract.ts';
import { isLikelyFrom } from './likely-package.ts';

/** The part of the predicted state that bears on units. */
interface Prediction {
  all<K extends 'path' | 'unit' | 'package'>(kind: K): readonly Extract<Effect, { kind: K }>[];
  installedPackages(): readonly string[];
}

const UNIT_FILE = /\/systemd\/(?:system|user)\/([^/]+)$/;

/** A unit after the predicted effects: unit files written or removed, packages installed, states changed. */
export function overlayUnit(
  real: UnitState,
  prediction: Prediction,
  options: Pick<FromPackages, 'startsOnInstall'>,
): UnitState {
  const base = fromFiles(real, prediction);
  const changes = prediction.all('unit').filter(({ name }) => isSameUnit(name, real.name));
  const isCertain = changes.length > 0;
  const start = base.exists ? base : fromPackages(base, prediction, { ...options, isCertain });
  if (changes.length === 0) return start;
  const isLinkGone = lostMask(real.name, prediction);
  const enabled =
    changes.findLast(
      (each) => each.enabled !== undefined && !(isLinkGone && each.enabled === 'masked'),
    )?.enabled ?? start.enabled;
  // What is masked when its package comes is not started.
  const { active: left } = enabled === 'masked' ? base : start;
  const active = changes.findLast((each) => each.active !== undefined)?.active ?? left;
  return { ...start, exists: true, active, enabled, properties: loaded(start, enabled) };
}

/** A unit that an earlier task has masked can be loaded, also where it has no file. */
function loaded({ properties }: UnitState, enabled: string): UnitState['properties'] {
  const state = enabled === 'masked' ? 'masked' : 'loaded';
  if (properties['LoadState'] === state) return properties;
  return { ...properties, LoadState: state, LoadError: '', UnitFileState: enabled };
}

/** Whether a file has come, or nothing is left, where a link has masked the unit. */
function lostMask(unit: string, prediction: Prediction): boolean {
  const file = lastFile(unit, prediction);
  return file !== undefined && file.state?.target !== '/dev/null';
}

function lastFile(unit: string, prediction: Prediction) {
  return prediction.all('path').findLast(({ name }) => {
    const [, found] = UNIT_FILE.exec(name) ?? [];
    return found !== undefined && isSameUnit(found, unit);
  });
}

function fromFiles(real: UnitState, prediction: Prediction): UnitState {
  const file = lastFile(real.name, prediction);
  if (file === undefined) return real;
  if (file.state === undefined) {
    const isItsOnlyFile = file.name === real.properties['FragmentPath'];
    return isItsOnlyFile ? { ...real, exists: false, active: 'inactive', enabled: '' } : real;
  }
  return real.exists ? real : made(real, { isRunning: false, isEnabled: false });
}

interface FromPackages {
  readonly startsOnInstall: boolean;
  /** Whether an earlier task has found the unit, wherever it came from. */
  readonly isCertain: boolean;
}

/** Debian's packages enable and start what they ship; the other families leave that to the administrator. */
function fromPackages(
  real: UnitState,
  prediction: Prediction,
  { startsOnInstall, isCertain }: FromPackages,
): UnitState {
  const packages = prediction.installedPackages();
  if (packages.length === 0) return real;
  const source = packages.find((name) => isLikelyFrom(name, real.name));
  if (source === undefined) {
    if (isCertain) return real;
    throw new UnknownState(packages.map((name) => `package ${name}`).join(', '));
  }
  const isKept = prediction
    .all('package')
    .some(({ name, startsServices }) => name === source && startsServices === false);
  return made(real, { isRunning: startsOnInstall && !isKept, isEnabled: startsOnInstall });
}

function made(
  real: UnitState,
  { isRunning, isEnabled }: { readonly isRunning: boolean; readonly isEnabled: boolean },
): UnitState {
  const active = isRunning ? 'active' : 'inactive';
  const enabled = isEnabled ? 'enabled' : 'disabled';
  return {
    name: real.name,
    exists: true,
    active,
    enabled,
    properties: {
      ...real.properties,
      LoadState: 'loaded',
      LoadError: '',
      ActiveState: active,
      SubState: isRunning ? 'running' : 'dead',
      UnitFileState: enabled,
    },
  };
}

function isSameUnit(a: string, b: string): boolean {
  return withSuffix(a) === withSuffix(b);
}

function withSuffix(name: string): string {
  return /\.(service|socket|timer|mount|target|path|slice|swap|scope|device|automount)$/.test(name)
    ? name
    : `${name}.service`;
}
