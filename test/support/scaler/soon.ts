const TIMEOUT_MS = 60_000;

/** Resolves in the turn of the event loop in which the condition holds; after a minute it rejects with a complaint. */
export async function soon(condition: () => boolean, complaint: () => string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(complaint());
    await new Promise((resolve) => setImmediate(resolve));
  }
}
