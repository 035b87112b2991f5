/** Package specifiers as Ansible's apt module reads them: `name`, `name:arch`, `name=1.2*`, `name>=1.2`, `lib*`. */
import { matchesGlob } from '../../../shared/glob.ts';
import { compareVersions } from './version.ts';

export interface AptSpec {
  /** As it was written. */
  readonly text: string;
  /** Name or glob, without architecture. */
  readonly name: string;
  readonly arch?: string;
  readonly operator?: '=' | '>=';
  /** With `=`, a glob. */
  readonly version?: string;
  readonly isGlob: boolean;
}

/** Reads a specifier; undefined where it cannot be one. */
export function parseAptSpec(text: string): AptSpec | undefined {
  const pattern = /^([a-z0-9*?[\]!][a-z0-9+.*?[\]!-]*)(?::([a-z0-9-]+))?(?:(=|>=)(\S+))?$/i;
  const [whole, name = '', arch, operator, version] = pattern.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  return {
    text,
    name,
    ...(arch !== undefined && { arch }),
    ...(operator !== undefined && { operator: operator as '=' | '>=' }), // The pattern admits no other.
    ...(version !== undefined && { version }),
    isGlob: /[*?[]/.test(name),
  };
}

/** Whether a version is one that the specifier allows. */
export function allowsVersion({ operator, version }: AptSpec, candidate: string): boolean {
  if (operator === undefined || version === undefined) return true;
  if (operator === '>=') return compareVersions(candidate, version) >= 0;
  return matchesGlob(candidate, version);
}
