/** What the name of a module in a playbook stands for. */
import { closest } from '../../shared/closest.ts';
import { didYouMean } from '../../shared/errors.ts';
import type { Spelt } from './action-spelling.ts';
import { ansibleName, ansibleNames, isListed, splitFullName } from './ansible-world.ts';
import type { LoaderOptions, Source } from './source.ts';

const ENGINE_ACTIONS = new Set(['include_tasks', 'import_tasks', 'include_role', 'import_role']);

/** The registry's name of a module as written: short, full, or through the play's `collections`. */
export function resolveName(
  { resolveModule }: Pick<LoaderOptions, 'resolveModule'>,
  name: string,
  collections: readonly string[] = [],
): string | undefined {
  const short = name.replace(/^ansible\.(builtin|legacy)\./, '');
  if (ENGINE_ACTIONS.has(short)) return short;
  const candidates = [name, short, ...collections.map((collection) => `${collection}.${name}`)];
  for (const candidate of candidates) {
    const resolved = resolveModule(candidate);
    if (resolved !== undefined) return resolved;
  }
  return undefined;
}

/** The full name of a module that there is, though not here. */
export function nameElsewhere(
  { isPython }: Pick<LoaderOptions, 'isPython'>,
  name: string,
  collections: readonly string[] = [],
): string | undefined {
  const own = name.replace(/^ansible\.legacy\./, '');
  return isPython?.(own) === true ? own : ansibleName('modules', name, collections);
}

/**
 * The full name that a short one has where a play or a role names a collection whose modules nobody has listed. What
 * looks like a misspelling is none of them.
 */
export function nameInCollections(
  source: Source,
  name: string,
  collections: readonly string[] = [],
): string | undefined {
  const open = collections.find((each) => !isListed('modules', each));
  if (open === undefined || splitFullName(name) !== undefined) return undefined;
  const known = [...source.options.moduleNames(), ...ENGINE_ACTIONS, ...source.keywordNames];
  return didYouMean(name, known) === undefined ? `${open}.${name}` : undefined;
}

/** Whether there is a module of a name, here or in Ansible. */
export function isNamed(
  source: Source,
  name: string,
  collections: readonly string[] = [],
): boolean {
  return (
    resolveName(source.options, name, collections) !== undefined ||
    nameElsewhere(source.options, name, collections) !== undefined
  );
}

/** Records that nobody knows a module, with what may have been meant. */
export function unknownModule(
  source: Source,
  { name, position }: Pick<Spelt, 'name' | 'position'>,
): void {
  const [collection, short] = splitFullName(name) ?? ['ansible.builtin', name];
  const ofCollection = closest(short, ansibleNames('modules', collection));
  const meant =
    ofCollection === undefined ? undefined : `did you mean "${collection}.${ofCollection}"?`;
  const known = [...source.options.moduleNames(), ...ENGINE_ACTIONS, ...source.keywordNames];
  const hint =
    (name === 'include' ? INCLUDE_HINT : undefined) ??
    (short === name ? (didYouMean(name, known) ?? meant) : meant) ??
    'tsprov doc lists the modules';
  source.problem(position, `there is no module "${name}"`, hint);
}

/** Ansible had `include` once. */
const INCLUDE_HINT = 'use include_tasks, or import_tasks for a file that is always the same';
