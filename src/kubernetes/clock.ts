import { performance } from 'node:perf_hooks';

/** Something that will happen, until it is cancelled. */
export interface Timer {
  cancel(): void;
}

/** Time, as everything in the cluster runtime takes it, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since the epoch; jumps when the machine's clock is set. Only for what people read. */
  wallMs(): number;
  /** Milliseconds that never jump; for measuring how long something took. */
  monotonicMs(): number;
  /** Calls `act` once, after that long. Does not keep the process alive. */
  after(ms: number, act: () => void): Timer;
}

/** The machine's own time. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** As `systemClock`, for programs that end when they have their answers: what they wait for keeps them alive. */
export const patientClock: Clock = {
  ...systemClock,
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Resolves after that long; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
