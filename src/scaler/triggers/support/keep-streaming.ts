import { setTimeout as delay } from 'node:timers/promises';

const FIRST_DELAY_MS = 2000;
const LONGEST_DELAY_MS = 60_000;

export interface Streaming<T> {
  /** Opens the stream; it ends or throws when `signal` aborts. */
  readonly open: (signal: AbortSignal) => AsyncIterable<T>;
  readonly onMessage: (message: T) => void;
  /** A failure after which no other attempt makes sense. */
  readonly isFinal?: (error: unknown) => boolean;
  readonly signal: AbortSignal;
  /** Waits; default: as long as it says, at most until `signal` aborts. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
}

/**
 * Follows a stream until `signal` aborts. One that breaks is opened again after 2 s, then after twice as long each
 * time up to 60 s; one that ends well begins anew with 2 s.
 */
export async function keepStreaming<T>({
  open,
  onMessage,
  isFinal = () => false,
  signal,
  sleep = (milliseconds) => delay(milliseconds, undefined, { signal }).catch(() => {}),
}: Streaming<T>): Promise<void> {
  let waitMs = FIRST_DELAY_MS;
  while (!signal.aborted) {
    const failure = await follow(open(signal), onMessage);
    if (signal.aborted || (failure !== undefined && isFinal(failure.error))) return;
    if (failure === undefined) waitMs = FIRST_DELAY_MS;
    await sleep(waitMs);
    waitMs = failure === undefined ? FIRST_DELAY_MS : Math.min(2 * waitMs, LONGEST_DELAY_MS);
  }
}

/** Hands every message on; undefined after an end without failure. */
async function follow<T>(
  messages: AsyncIterable<T>,
  onMessage: (message: T) => void,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    for await (const message of messages) onMessage(message);
    return undefined;
  } catch (error) {
    return { error };
  }
}
