/** Ctrl-C and SIGTERM, as a run hears them. */
import { abandonQuestions } from './ask.ts';
import { EXIT } from './exit-codes.ts';

const ALIVE_EVERY_MS = 200;

/**
 * The first interrupt ends the run in order, the second at once. A process that is watched hears of them from its
 * parent too, which also counts them, and keeps telling that it is alive.
 */
export function onInterrupt(interrupt: AbortController, isWatched: boolean): void {
  const stop = () => {
    if (!interrupt.signal.aborted) {
      process.stderr.write(
        '\ninterrupted: ending what runs on the hosts (again to stop at once)\n',
      );
      interrupt.abort();
      abandonQuestions();
      if (isWatched) keepTelling();
    } else if (!isWatched) process.exit(EXIT.interrupted);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  if (!isWatched) return;
  process.on('message', stop);
  process.on('disconnect', stop);
  process.channel?.unref();
}

function keepTelling(): void {
  const tell = () => {
    if (process.connected) process.send?.('ending', undefined, undefined, () => undefined);
  };
  tell();
  setInterval(tell, ALIVE_EVERY_MS).unref();
}
