/** Trying until a host does what is asked of it again. */
import type { Conversation } from '../../engine/module.ts';

export interface Attempts {
  /** When to give up, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Time before each further attempt. */
  readonly pauseMs: (attempt: number) => number;
}

/**
 * Tries until `attempt` gives true. Gives undefined then, or when time is up the last reason why it did not.
 * A lost connection is such a reason.
 */
export async function retry(
  talk: Conversation,
  { deadline, pauseMs }: Attempts,
  attempt: () => Promise<true | string>,
): Promise<string | undefined> {
  for (let n = 0; ; n++) {
    const outcome = await attempt().catch(reasonOf);
    if (outcome === true) return undefined;
    talk.signal.throwIfAborted();
    const left = deadline - Date.now();
    if (left <= 0) return outcome;
    await talk.sleep(Math.min(pauseMs(n), left));
  }
}

/** What a host that cannot be reached has against it. Throws what is a mistake of ours on. */
export function reasonOf(error: unknown): string {
  const isOurs = [TypeError, RangeError, ReferenceError].some((each) => error instanceof each);
  if (!isOurs && error instanceof Error) return error.message;
  throw error;
}
