/** A session of an SSH connection as a channel. */
import type { Duplex, Readable } from 'node:stream';
import type { Channel, ChannelEnd } from './channel.ts';

/** Wraps a session that runs a command. `lost` says why the connection broke, where that is how it ended. */
export function sessionChannel(
  stream: Duplex & { readonly stderr: Readable },
  lost: () => string,
): Channel {
  let end: ChannelEnd | undefined;
  stream.on('exit', (code: number | null, signal?: string) => {
    end = { lost: false, reason: code === null ? `signal ${signal}` : `exit code ${code}` };
  });
  // Writing to a command that has gone is no news: `ended` tells it.
  stream.on('error', () => {});
  return {
    stdin: stream,
    stdout: stream,
    stderr: stream.stderr,
    ended: new Promise((resolve) => {
      stream.on('close', () => resolve(end ?? { lost: true, reason: lost() }));
    }),
    destroy: () => stream.destroy(),
  };
}
