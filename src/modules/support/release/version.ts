/** Versions of releases, and the names that are made of them. Pure. */
import { TaskError } from '../../../engine/module.ts';

/** A release proper: no pre-release, no build. */
const VERSION = /^\d+\.\d+\.\d+$/;

/** The version that a tag of the form `v{version}` names; undefined where it names none. */
export function versionOfTag(tag: string, pattern: string): string | undefined {
  const [before = '', after = ''] = pattern.split('{version}');
  if (!tag.startsWith(before) || !tag.endsWith(after)) return undefined;
  const version = tag.slice(before.length, tag.length - after.length);
  return VERSION.test(version) ? version : undefined;
}

/** A version as users write it, with or without a `v`. Throws TaskError where it is none. */
export function givenVersion(text: string): string {
  const version = text.replace(/^v/, '');
  if (/^\d+(\.\d+)+([.+~-][\w.+~-]*)?$/.test(version)) return version;
  throw new TaskError(`"${text}" is not a version`, {
    hint: 'give a version such as "1.30.1", or "latest"',
  });
}

/** Less than 0 where `a` is older. Pre-releases come before their release. */
export function compareVersions(a: string, b: string): number {
  const [[mainA = '', preA], [mainB = '', preB]] = [a.split('-'), b.split('-')];
  const [partsA, partsB] = [numbers(mainA), numbers(mainB)];
  for (let i = 0; i < Math.max(partsA.length, partsB.length); i++) {
    const difference = (partsA[i] ?? 0) - (partsB[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (preA === preB) return 0;
  if (preA === undefined || preB === undefined) return preA === undefined ? 1 : -1;
  return preA < preB ? -1 : 1;
}

const numbers = (version: string) => version.split('.').map((part) => Number.parseInt(part, 10));

/** Fills in `{version}`, `{tag}`, `{arch}` and the like; what has no value stays as it is. */
export function fillIn(
  pattern: string,
  values: Readonly<Record<string, string | undefined>>,
): string {
  return pattern.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
