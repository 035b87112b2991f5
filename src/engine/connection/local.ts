/** The transport to the machine we run on: a child process for each channel. */
import { spawn } from 'node:child_process';
import type { Transport } from './channel.ts';
import { childChannel } from './child-channel.ts';

/** Channels to this machine. */
export function localTransport(): Transport {
  return {
    // A session of its own keeps the terminal's Ctrl-C from reaching scripts before we have decided about them.
    open: async (command) =>
      childChannel(spawn('/bin/sh', ['-c', command], { detached: true, stdio: 'pipe' })),
    close: async () => {},
  };
}
