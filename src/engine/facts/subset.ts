/** Which facts a `gather_subset` asks for. */
import { didYouMean, TaskError } from '../../shared/errors.ts';
import type { Collector } from './collector.ts';

/** Gathered unless `!min` is said. */
const MINIMAL: readonly string[] = [
  'apparmor',
  'caps',
  'cmdline',
  'date_time',
  'distribution',
  'dns',
  'env',
  'fips',
  'local',
  'lsb',
  'pkg_mgr',
  'platform',
  'python',
  'selinux',
  'service_mgr',
  'ssh_pub_keys',
  'user',
];

/**
 * The collectors that a subset selects, with those that they need, in their own order. As Ansible does it: names
 * select, `!name` takes away, a name wins over its negation, and the minimal set is always there unless `!min`.
 * Throws TaskError on a name that nobody knows.
 */
export function selectCollectors(
  subset: readonly string[],
  collectors: readonly Collector[],
): readonly Collector[] {
  const wanted = wantedIds(subset, collectors);
  const chosen = new Set(
    collectors.filter((each) => idsOf(each).some((id) => wanted.has(id))).map(({ name }) => name),
  );
  addNeeded(chosen, collectors);
  return collectors.filter(({ name }) => chosen.has(name));
}

function wantedIds(subset: readonly string[], collectors: readonly Collector[]): Set<string> {
  const all = collectors.flatMap(idsOf);
  checkNames(subset, ['all', 'min', ...all]);
  const excluded = subset.filter((name) => name.startsWith('!')).map((name) => name.slice(1));
  const named = subset.filter((name) => !name.startsWith('!') && name !== 'all' && name !== 'min');
  const away = new Set(excluded.flatMap((name) => excludedIds(name, collectors)));
  const included = subset.includes('all') || subset.length === 0 ? all : [];
  const minimal = excluded.includes('min') ? [] : MINIMAL;
  return new Set([...[...minimal, ...included].filter((id) => !away.has(id)), ...named]);
}

/** `!min` and `!all` spare what the other one is about; `!name` takes a collector with all its names. */
function excludedIds(name: string, collectors: readonly Collector[]): readonly string[] {
  if (name === 'min') return MINIMAL;
  if (name === 'all') return collectors.flatMap(idsOf).filter((id) => !MINIMAL.includes(id));
  return collectors.flatMap((each) => (each.name === name ? idsOf(each) : [name]));
}

function addNeeded(chosen: Set<string>, collectors: readonly Collector[]): void {
  for (const name of chosen) {
    const needs = collectors.find((each) => each.name === name)?.needs ?? [];
    for (const need of needs) chosen.add(need); // A set that grows is iterated to its end.
  }
}

function checkNames(subset: readonly string[], known: readonly string[]): void {
  for (const name of subset.map((each) => each.replace(/^!/, ''))) {
    if (known.includes(name)) continue;
    const options = known
      .filter((each) => each !== 'min')
      .sort()
      .join(', ');
    throw new TaskError(
      `Bad subset '${name}' given to Ansible. gather_subset options allowed: ${options}`,
      {
        ...(didYouMean(name, known) && { hint: didYouMean(name, known) as string }), // Tested in the same line.
      },
    );
  }
}

function idsOf({ name, ids = [] }: Collector): readonly string[] {
  return [name, ...ids];
}
