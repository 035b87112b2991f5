/** A channel over the standard streams of a child process. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Channel, ChannelEnd } from './channel.ts';

/** How the end of the child is understood; by default as the end of the command itself. */
export type ReadEnd = (
  code: number | null,
  signal: NodeJS.Signals | null,
) => ChannelEnd | Promise<ChannelEnd>;

/** Wraps a child process. */
export function childChannel(
  child: ChildProcessWithoutNullStreams,
  readEnd: ReadEnd = ownEnd,
): Channel {
  // Writing to a process that has gone is no news: `ended` tells it.
  child.stdin.on('error', () => {});
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended: new Promise((resolve) => {
      child.on('error', (error) => resolve({ lost: true, reason: error.message }));
      child.on('close', (code, signal) => resolve(readEnd(code, signal)));
    }),
    destroy: () => {
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      child.kill('SIGKILL');
    },
  };
}

function ownEnd(code: number | null, signal: NodeJS.Signals | null): ChannelEnd {
  return { lost: false, reason: signal === null ? `exit code ${code}` : `signal ${signal}` };
}
