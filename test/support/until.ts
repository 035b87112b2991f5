import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;

/** Resolves when the condition holds; after a minute it rejects with what `seen` shows then. */
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
