/** The transport to the machine we run on: a child process for each channel. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { TaskError } from '../../shared/errors.ts';
import type { Channel, OpenOptions, Transport } from './channel.ts';
import { childChannel } from './child-channel.ts';

/** Channels to this machine. Those with a terminal need the `script` command (util-linux or busybox). */
export function localTransport(): Transport {
  return { open: openLocal, close: async () => {} };
}

async function openLocal(
  command: string,
  { terminal = false }: OpenOptions = {},
): Promise<Channel> {
  const [exe, args] = terminal
    ? ['script', ['-q', '-c', command, '/dev/null']]
    : ['/bin/sh', ['-c', command]];
  const env = terminal ? { ...process.env, SHELL: '/bin/sh' } : process.env;
  // A session of its own keeps the terminal's Ctrl-C from reaching scripts before we have decided about them.
  const child = spawn(exe, args, { detached: true, stdio: 'pipe', env });
  const channel = childChannel(child);
  try {
    await once(child, 'spawn');
    return channel;
  } catch (error) {
    throw new TaskError(`The command "${exe}" cannot be started: ${String(error)}.`, {
      hint: terminal
        ? 'su and doas ask for a password on a terminal, which script(1) gives: install util-linux'
        : 'install it',
    });
  }
}
