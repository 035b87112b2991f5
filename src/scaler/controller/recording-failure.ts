/** How a reconcile ends that failed, whatever it is about. */
import { TerminalError } from '../cluster/work-queue.ts';
import { SpecInvalid } from './prepare.ts';

/**
 * Does the work of a reconcile. A failure is recorded before it is passed on; where only another spec can cure it, the
 * queue is told not to try again.
 */
export async function recordingFailure<T>(
  work: () => Promise<T>,
  record: (error: Error) => Promise<void>,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    await record(error as Error);
    if (!(error instanceof SpecInvalid)) throw error;
    throw new TerminalError(error.message, { cause: error });
  }
}
