/** The one way to a host for the rest of the engine. */

import { Unreachable } from '../../shared/errors.ts';
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
  if (settings.transport === 'local') return localTransport(settings.directory);
  checkNames(settings);
  // Loaded when first needed: a play on this machine starts sooner without them.
  if (settings.transport === 'openssh') {
    const { opensshTransport } = await import('./openssh.ts');
    return opensshTransport(settings, signal);
  }
  const { sshTransport } = await import('./ssh.ts');
  return sshTransport(settings, signal);
}

/** What may not be in a name, as ssh itself has it: it reaches command lines of the configuration (`ProxyCommand`). */
const ODD_ADDRESS = /^-|^$|[\s'"`$\\;&<>|(){}\p{Cc}]/u;
const ODD_USER = /^-|\s-|\\$|['"`;&<>|(){}\p{Cc}]/u;

function checkNames({ name, address, user = '' }: ConnectionSettings): void {
  const refused = (what: string, text: string, hint: string) =>
    new Unreachable(`${name}: ${JSON.stringify(text)} is not ${what}.`, { hint });
  if (ODD_ADDRESS.test(address)) throw refused('an address', address, 'correct ansible_host');
  if (ODD_USER.test(user)) throw refused('the name of a user', user, 'correct ansible_user');
}
