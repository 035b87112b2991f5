/** Work that waits for nothing lets signals, timers and other hosts have their turn now and then. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const LONGEST_MS = 50;

let drawnAt = performance.now();

/** Gives way where nothing else had a turn for a while. Throws the reason of a signal that is aborted. */
export async function breath(signal: AbortSignal): Promise<void> {
  if (performance.now() - drawnAt > LONGEST_MS) {
    await nextTurn();
    drawnAt = performance.now();
  }
  signal.throwIfAborted();
}
