/** When an object is polled: each in its own moment of the interval, so that objects applied together are spread out. */
import { createHash } from 'node:crypto';

/** Where in an interval an object has its moment: from 0 to less than 1, always the same for the same uid. */
export function phaseOf(uid: string): number {
  return createHash('sha256').update(uid).digest().readUInt32BE() / 2 ** 32;
}

/**
 * The next poll after one that began at `startMs`: never later than an interval, whatever the poll took. From the
 * second poll on they are an interval apart.
 */
export function nextPollMs(startMs: number, intervalMs: number, phase: number): number {
  const offsetMs = Math.floor(phase * intervalMs);
  const past = Math.floor((startMs - offsetMs) / intervalMs);
  return offsetMs + (past + 1) * intervalMs;
}
