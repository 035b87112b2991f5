/** What fronts do with the names of the modules that they stand for. */

/** A module's own name: `apt` of `ansible.builtin.apt`. Empty where there is none. */
export function withoutCollection(name: unknown): string {
  return String(name ?? '').replace(/^ansible\.(builtin|legacy)\./, '');
}
