/** What to do about a complaint of apt-get. */

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/Packages were downgraded/, 'set "allow_downgrade: true"'],
  [/Held packages were changed/, 'set "allow_change_held_packages: true", or end the hold'],
  [/could not be authenticated|were unauthenticated/, 'add the key of the repository'],
  [/deb-src/, 'add the sources of the packages to the package sources'],
  [/remove is disabled/, '"fail_on_autoremove" forbids to remove packages'],
  [/no installation candidate/, 'name one of the packages that provide it'],
  [/unmet dependencies|--fix-broken/, 'set "state: fixed" to mend what is broken'],
];
const LOCKED = /Could not get lock|Unable to (?:lock|acquire)/;
const HOLDER = /It is held by (process \d+(?: \([^)]*\))?)/;

/** The cure for what apt-get printed, where one is known. */
export function hintFor(text: string): string | undefined {
  if (LOCKED.test(text)) {
    const [, holder = 'the process that has the lock'] = HOLDER.exec(text) ?? [];
    return `play again when ${holder} has ended, or wait longer for it with "lock_timeout"`;
  }
  return HINTS.find(([pattern]) => pattern.test(text))?.[1];
}
