/** What a misspelt word may have been meant to be. */

/**
 * The candidate closest to a misspelt word, or undefined where none is close enough to be meant: who errs in more than
 * one letter has the first one right. `most` is how many letters may be wrong.
 */
export function closest(
  word: string,
  candidates: Iterable<string>,
  most = Math.max(1, Math.floor(word.length / 3)),
): string | undefined {
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const candidate of candidates) {
    const [one, other] = [word.toLowerCase(), candidate.toLowerCase()];
    const distance = editDistance(one, other);
    const isLikely = distance <= 1 || one[0] === other[0];
    if (isLikely && distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Optimal string alignment distance: a swap of neighbours counts once. */
function editDistance(a: string, b: string): number {
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = nextRow({ a, b, i }, previous, older);
    [older, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}

function nextRow(
  { a, b, i }: { readonly a: string; readonly b: string; readonly i: number },
  previous: readonly number[],
  older: readonly number[],
): number[] {
  const row = [i];
  for (let j = 1; j <= b.length; j++) {
    const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    row[j] = Math.min(
      (previous[j] ?? 0) + 1,
      (row[j - 1] ?? 0) + 1,
      (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      isSwap ? (older[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
    );
  }
  return row;
}
