import { setTimeout as delay } from 'node:timers/promises';

/** A deadline and no promise: machines are slow at times. */
const TIMEOUT_MS = 180_000;

/** Resolves when the condition holds; after three minutes it rejects with what `seen` shows then. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  seen: () => unknown,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error(`still waiting after ${timeoutMs} ms; seen: ${JSON.stringify(seen())}`);
    }
    await delay(20);
  }
}
