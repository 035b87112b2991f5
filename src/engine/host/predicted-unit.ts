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
  options: { readonly startsOnInstall: boolean },
): UnitState {
  const base = fromFiles(real, prediction);
  const changes = prediction.all('unit').filter(({ name }) => isSameUnit(name, real.name));
  const start = base.exists || changes.length > 0 ? base : fromPackages(base, prediction, options);
  if (changes.length === 0) return start;
  const active = changes.findLast((each) => each.active !== undefined)?.active ?? start.active;
  const enabled = changes.findLast((each) => each.enabled !== undefined)?.enabled ?? start.enabled;
  return { ...start, exists: true, active, enabled };
}

function fromFiles(real: UnitState, prediction: Prediction): UnitState {
  const file = prediction.all('path').findLast(({ name }) => {
    const [, unit] = UNIT_FILE.exec(name) ?? [];
    return unit !== undefined && isSameUnit(unit, real.name);
  });
  if (file === undefined) return real;
  if (file.state === undefined) {
    const isItsOnlyFile = file.name === real.properties['FragmentPath'];
    return isItsOnlyFile ? { ...real, exists: false, active: 'inactive', enabled: '' } : real;
  }
  return real.exists ? real : made(real, { isRunning: false, isEnabled: false });
}

/** Debian's packages enable and start what they ship; the other families leave that to the administrator. */
function fromPackages(
  real: UnitState,
  prediction: Prediction,
  { startsOnInstall }: { readonly startsOnInstall: boolean },
): UnitState {
  const packages = prediction.installedPackages();
  if (packages.length === 0) return real;
  const source = packages.find((name) => isLikelyFrom(name, real.name));
  if (source === undefined) {
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
