/** Work that takes seconds and that an evaluation, which cannot wait, needs: hashes of passwords. */
import { once } from 'node:events';

/** How a result is made: at once, or piece by piece while other work goes on. */
export interface SlowWork {
  now(): string;
  /** Stops where it can when the signal is aborted. */
  later(signal: AbortSignal): Promise<string>;
}

/** An evaluation and those that repeat it. */
interface Attempts {
  readonly signal: AbortSignal;
  /** Results by what they are of, and those that depend on chance by their order as well. */
  readonly done: Map<string, string>;
  pending: Promise<void> | undefined;
  /** How many results the evaluation has asked for that depend on chance. */
  drawn: number;
  /** Whether it asked for something that another evaluation may find otherwise: it is not to be repeated. */
  isUnique: boolean;
}

/** Ends an evaluation, which is repeated when the result is there. */
class Waiting extends Error {
  override readonly name = 'Waiting';
}

let current: Attempts | undefined;

/**
 * Evaluates; again, after waiting, for as long as slow work is asked for whose result is not there yet. Throws the reason
 * of the signal when it is aborted meanwhile.
 */
export async function evaluateInTime<T>(
  evaluate: () => T,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  const attempts: Attempts = {
    signal,
    done: new Map(),
    pending: undefined,
    drawn: 0,
    isUnique: false,
  };
  for (;;) {
    attempts.drawn = 0;
    const { pending, conclude } = attempt(attempts, evaluate);
    if (pending === undefined) return conclude();
    await unlessAborted(pending, signal);
  }
}

async function unlessAborted(pending: Promise<void>, signal: AbortSignal): Promise<void> {
  const settled = new AbortController();
  const aborted = once(signal, 'abort', { signal: settled.signal });
  aborted.catch(() => undefined);
  try {
    signal.throwIfAborted();
    await Promise.race([pending, aborted]);
  } finally {
    settled.abort();
    signal.throwIfAborted();
  }
}

function attempt<T>(attempts: Attempts, evaluate: () => T) {
  current = attempts;
  try {
    const value = evaluate();
    return { pending: attempts.pending, conclude: () => value };
  } catch (error) {
    // What is thrown on the way out of an evaluation that waits says nothing.
    return {
      pending: attempts.pending,
      conclude: (): T => {
        throw error;
      },
    };
  } finally {
    current = undefined;
    attempts.pending = undefined;
  }
}

/** Tells that the evaluation may come out otherwise when it is repeated. */
export function noteUnique(): void {
  if (current !== undefined) current.isUnique = true;
}

/** The result of slow work, which `key` names. Throws where the evaluation is to wait for it. */
export function slowly(key: string, work: SlowWork, isRandom: boolean): string {
  const attempts = current;
  if (attempts === undefined) return work.now();
  const name = isRandom ? `${attempts.drawn++} ${key}` : key;
  const known = attempts.done.get(name);
  if (known !== undefined) return known;
  if (attempts.isUnique) return work.now();
  attempts.pending = work.later(attempts.signal).then((result) => {
    attempts.done.set(name, result);
  });
  throw new Waiting('the evaluation waits');
}
