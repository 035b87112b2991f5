/** Tells who sets something that has no effect here: nothing is ignored in silence. */
import { didYouMean, type Problem } from '../../shared/errors.ts';
import type { ConfigEntry } from './config-file.ts';
import { SETTINGS } from './config-settings.ts';
import type { Setting } from './config-value.ts';
import { MEANINGLESS, UNSUPPORTED } from './other-settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const REASONS = new Map(
  UNSUPPORTED.flatMap(({ why, names }) => names.map((name): [string, string] => [name, why])),
);
/** Values that ask for what holds anyway. */
const HARMLESS: ReadonlyMap<string, RegExp> = new Map([
  ['ANSIBLE_DISPLAY_TRACEBACK', /^never$/i],
  ['defaults.display_traceback', /^never$/i],
  ['ANSIBLE_DISPLAY_FAILED_STDERR', /^(?:n|no|off|0|false|f)$/i],
  ['defaults.display_failed_stderr', /^(?:n|no|off|0|false|f)$/i],
]);
const HONOURED = new Set(
  Object.values<Setting<unknown>>(SETTINGS).flatMap(({ keys }) => [...keys]),
);
const SECTIONS = new Set(
  [...HONOURED, ...REASONS.keys(), ...MEANINGLESS]
    .filter((name) => name.includes('.'))
    .map(sectionOf),
);

/** A warning for each entry of a configuration file and each environment variable that has no effect. */
export function ignoredSettings(
  entries: ReadonlyMap<string, ConfigEntry>,
  environment: Environment,
): Problem[] {
  const inFile = [...entries].flatMap(([key, { value, place }]) => {
    const message = isHarmless(key, value) ? undefined : messageOf(key);
    return message === undefined ? [] : [{ ...message, place }];
  });
  const inEnvironment = [...REASONS]
    .filter(([name]) => !name.includes('.') && !isHarmless(name, environment[name] ?? ''))
    .map(([name, why]) => ({ message: `${name} has no effect: ${why}` }));
  return [...inFile, ...inEnvironment];
}

function isHarmless(name: string, value: string): boolean {
  return (value === '' && !name.includes('.')) || HARMLESS.get(name)?.test(value.trim()) === true;
}

function messageOf(key: string): Pick<Problem, 'message' | 'hint'> | undefined {
  const why = REASONS.get(key);
  if (why !== undefined) return { message: `${key} has no effect: ${why}` };
  if (HONOURED.has(key) || MEANINGLESS.has(key) || !SECTIONS.has(sectionOf(key))) return undefined;
  const hint = didYouMean(key, [...HONOURED, ...REASONS.keys()]);
  return { message: `there is no setting ${key}`, hint };
}

function sectionOf(key: string): string {
  return key.slice(0, key.indexOf('.'));
}
