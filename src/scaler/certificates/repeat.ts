import { type Clock, sleep } from '../../kubernetes/clock.ts';

export interface Repetition {
  readonly clock: Clock;
  readonly everyMs: number;
  /** Told of each failure; the next time is tried all the same. */
  readonly onError: (error: unknown) => void;
}

/** Does something again and again until the signal aborts, a pause before each time. Never rejects. */
export async function repeat(
  act: () => Promise<void>,
  { clock, everyMs, onError }: Repetition,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sleep(clock, everyMs, signal);
      await act();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }
}
