import { setTimeout as sleep } from 'node:timers/promises';

export interface Persistence {
  readonly firstWaitMs: number;
  readonly mostWaitMs: number;
  readonly signal: AbortSignal;
  /** Default: real time, until the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Does `work` again and again, however it ends, until `signal` aborts. The wait between doubles from the first to the
 * longest, and is the first again once `work` has called `onProgress`.
 */
export async function persist(
  work: (onProgress: () => void) => Promise<void>,
  { firstWaitMs, mostWaitMs, signal, wait = sleepUnlessAborted }: Persistence,
): Promise<void> {
  let waitMs = firstWaitMs;
  const onProgress = () => {
    waitMs = firstWaitMs;
  };
  while (!signal.aborted) {
    await work(onProgress).catch(() => {}); // Polling tells what is wrong.
    await wait(waitMs, signal);
    waitMs = Math.min(waitMs * 2, mostWaitMs);
  }
}

async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {}); // Aborted: whoever waits looks at the signal.
}
