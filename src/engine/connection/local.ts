/** The transport to the machine we run on: a child process for each channel. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { TaskError } from '../../shared/errors.ts';
import type { Channel, OpenOptions, Refusal, Transport } from './channel.ts';
import { childChannel } from './child-channel.ts';
import type { Endpoint } from './connection.ts';

/** Channels to this machine, in a directory of it. Those with a terminal need the `script` command (util-linux or busybox). */
export function localTransport(directory?: string): Transport {
  const open = (command: string, options?: OpenOptions) => openLocal(command, directory, options);
  return { open, openStream: openSocket, close: async () => {} };
}

async function openSocket({ host, port }: Endpoint): Promise<Duplex | Refusal> {
  const socket = connect({ host, port, noDelay: true });
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    return { reason: reasonOf(error), isForbidden: false };
  }
}

/** Where an address has several families, there is an error for each. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

async function openLocal(
  command: string,
  cwd: string | undefined,
  { terminal = false }: OpenOptions = {},
): Promise<Channel> {
  const [exe, args] = terminal
    ? ['script', ['-q', '-c', command, '/dev/null']]
    : ['/bin/sh', ['-c', command]];
  const env = terminal ? { ...process.env, SHELL: '/bin/sh' } : process.env;
  // A session of its own keeps the terminal's Ctrl-C from reaching scripts before we have decided about them.
  const child = spawn(exe, args, { detached: true, stdio: 'pipe', env, cwd });
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
