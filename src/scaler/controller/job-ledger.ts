/** What is known of the Jobs of one ScaledJob beyond what the cache shows. */
import { randomInt } from 'node:crypto';

/** A Job that the cache does not show after so long was deleted in between. */
const UNSEEN_MS = 60_000;
/** As in names that the API server makes. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const RANDOM_LENGTH = 5;
const MOST_NAME_LENGTH = 63;

/** A Job to be made; not new where it was asked for before, without a clear answer. */
export interface AskedJob {
  readonly name: string;
  readonly isNew: boolean;
}

/**
 * Names of Jobs, so that none is made twice. A Job has its name before it is asked for: where no clear answer comes, the same
 * name is asked for again, and the API server has it once.
 */
export class JobLedger {
  /** Jobs that are there, with the time when that was known, on the clock that never jumps. */
  readonly #made = new Map<string, number>();
  /** Jobs that were asked for and may be there or not. */
  readonly #open = new Set<string>();

  /** Names for that many Jobs to be made; first those that were asked for without a clear answer. */
  ask(count: number, owner: string): readonly AskedJob[] {
    const open = [...this.#open].slice(0, count).map((name) => ({ name, isNew: false }));
    const fresh = Array.from({ length: count - open.length }, () => ({
      name: newName(owner),
      isNew: true,
    }));
    for (const { name } of fresh) this.#open.add(name);
    return [...open, ...fresh];
  }

  /** A Job that was asked for is there. The cache may have shown it before the answer came. */
  confirm(name: string, nowMs: number): void {
    if (this.#open.delete(name)) this.#made.set(name, nowMs);
  }

  /** The name belongs to somebody else's Job. */
  giveUp(name: string): void {
    this.#open.delete(name);
  }

  /** Another process has made it. */
  learn(name: string, nowMs: number): void {
    this.#made.set(name, nowMs);
  }

  /** The cache has shown a Job, or its end: it counts as the cache has it from now on. */
  notice(name: string): void {
    this.#made.delete(name);
    this.#open.delete(name);
  }

  /** How many Jobs there are that the cache does not show. */
  unseen(shown: ReadonlySet<string>, nowMs: number): number {
    for (const [name, madeMs] of this.#made) {
      if (shown.has(name) || nowMs - madeMs > UNSEEN_MS) this.#made.delete(name);
    }
    return this.#made.size;
  }
}

function newName(owner: string): string {
  const letters = Array.from(
    { length: RANDOM_LENGTH },
    () => ALPHABET[randomInt(ALPHABET.length)],
  ).join('');
  return `${`${owner}-`.slice(0, MOST_NAME_LENGTH - RANDOM_LENGTH)}${letters}`;
}
