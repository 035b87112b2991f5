import type { Answer, PlacedFault } from './play-target.ts';

/**
 * Every difference of tsprov's answer: what failed only there, and asserts that passed more or fewer times. What
 * Ansible itself could not do on these machines was taken out for both.
 */
export function compareAnswers(theirs: Answer, ours: Answer): PlacedFault[] {
  const known = countPlaces(theirs.faults);
  const failed = ours.faults.filter(({ at }) => !takeOne(known, at));
  const seen = new Set(failed.map(({ at }) => at));
  const [left, right] = [countPassed(theirs), countPassed(ours)];
  const counts = [...new Set([...left.keys(), ...right.keys()])].flatMap((at) => {
    const [a, b] = [left.get(at) ?? 0, right.get(at) ?? 0];
    if (a === b || seen.has(at)) return [];
    return [{ at, message: `passed ${b} times, with Ansible ${a} times` }];
  });
  return [...failed, ...counts, ...compareSums(theirs, ours)].sort((a, b) =>
    a.at < b.at ? -1 : 1,
  );
}

/** Of scripts that do not ask for places, how many asserts passed; those that failed have a place. */
function compareSums(theirs: Answer, ours: Answer): PlacedFault[] {
  const isPlaced = [theirs.passed, ours.passed, ours.faults].some(({ length }) => length > 0);
  if (isPlaced || theirs.asserts === ours.asserts) return [];
  const message = `${ours.asserts} asserts passed, with Ansible ${theirs.asserts}`;
  return [{ at: 'asserts', message }];
}

/** Folders that a target makes for itself have another name in every run. */
function countPassed({ passed }: Answer): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [place, times] of passed) {
    const at = place.replace(/^\/tmp\/tmp\w+\//, '');
    counts.set(at, (counts.get(at) ?? 0) + times);
  }
  return counts;
}

/** A line of a script may fail several times. */
function countPlaces(faults: readonly PlacedFault[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { at } of faults) counts.set(at, (counts.get(at) ?? 0) + 1);
  return counts;
}

function takeOne(counts: Map<string, number>, at: string): boolean {
  const count = counts.get(at) ?? 0;
  counts.set(at, count - 1);
  return count > 0;
}
