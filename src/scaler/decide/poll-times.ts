/** When an object is polled first by a process that takes it over; afterwards an interval lies between polls. */
import { createHash } from 'node:crypto';

/** However long their interval: nobody should wait much longer for a poll because the leader has changed. */
const MOST_SPREAD_MS = 10_000;

/**
 * How long after it was taken over an object is polled: always the same for the same uid, so that a new leader does not
 * ask all sources at one moment, then or an interval later.
 */
export function firstDelayMs(uid: string, intervalMs: number): number {
  const share = createHash('sha256').update(uid).digest().readUInt32BE() / 2 ** 32;
  return Math.floor(share * Math.min(intervalMs, MOST_SPREAD_MS));
}
