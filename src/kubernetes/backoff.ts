/** How long to wait after the n-th failure in a row, counted from 1. */
export type Backoff = (failures: number) => number;

/** A number from 0 (included) to 1 (excluded). */
export type Random = () => number;

/**
 * Doubles the wait from `leastMs` to `mostMs`. Each wait is drawn from its upper half, so that many clients that failed
 * together do not come back together.
 */
export function exponentialBackoff(
  leastMs: number,
  mostMs: number,
  random: Random = Math.random,
): Backoff {
  return (failures) => {
    const full = Math.min(mostMs, leastMs * 2 ** Math.min(failures - 1, 30));
    return full * (0.5 + random() / 2);
  };
}

/** A number drawn evenly between two others. */
export function between(least: number, most: number, random: Random): number {
  return least + (most - least) * random();
}
