/** The one way to a host for the rest of the engine. */

import type { Transport } from './channel.ts';
import type { Connect, ConnectionSettings } from './connection.ts';
import { HostConnection } from './host-connection.ts';
import { localTransport } from './local.ts';
import { traceConnection } from './trace.ts';

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
  traceConnection(settings);
  if (settings.transport === 'local') return localTransport();
  // Loaded when first needed: a play on this machine starts sooner without them.
  if (settings.transport === 'openssh') {
    const { opensshTransport } = await import('./openssh.ts');
    return opensshTransport(settings, signal);
  }
  const { sshTransport } = await import('./ssh.ts');
  return sshTransport(settings, signal);
}
