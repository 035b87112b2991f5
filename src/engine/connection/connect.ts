/** The one way to a host for the rest of the engine. */

import type { Transport } from './channel.ts';
import type { Connect, ConnectionSettings } from './connection.ts';
import { HostConnection } from './host-connection.ts';
import { localTransport } from './local.ts';
import { opensshTransport } from './openssh.ts';
import { sshTransport } from './ssh.ts';

/** Opens a connection. Throws Unreachable with the reason and its cure. */
export const connect: Connect = async (settings, signal) => {
  const dial = () => openTransport(settings, signal);
  return new HostConnection(settings, await dial(), dial);
};

async function openTransport(
  settings: ConnectionSettings,
  signal: AbortSignal | undefined,
): Promise<Transport> {
  signal?.throwIfAborted();
  if (settings.transport === 'local') return localTransport();
  return settings.transport === 'openssh'
    ? opensshTransport(settings, signal)
    : sshTransport(settings, signal);
}
