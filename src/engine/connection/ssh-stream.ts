/** TCP streams that an SSH server opens for us (direct-tcpip). */
import type { Duplex } from 'node:stream';
import type { Refusal } from './channel.ts';
import type { Endpoint } from './connection.ts';

/** What the library has for it. */
interface Forwarder {
  forwardOut(
    sourceHost: string,
    sourcePort: number,
    host: string,
    port: number,
    done: (error: Error | undefined, stream: Duplex) => void,
  ): unknown;
}

/** Reasons of a refusal (RFC 4254, 5.1), as the library hands them on. */
const FORBIDDEN = 1;
const NOT_CONNECTED = 2;

/** Opens a stream from the host. Rejects with the library's error. */
export function forwardOut(client: Forwarder, { host, port }: Endpoint): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    client.forwardOut('127.0.0.1', 0, host, port, (error, stream) => {
      if (error === undefined) resolve(stream);
      else reject(error);
    });
  });
}

/** The server's refusal that an error stands for, or undefined where the connection itself has failed. */
export function parseRefusal(error: unknown): Refusal | undefined {
  const { message, reason } = error as Error & { readonly reason?: unknown };
  if (reason !== FORBIDDEN && reason !== NOT_CONNECTED) return undefined;
  const text = message.replace(/^.*open failure: /, '');
  return { reason: text, isForbidden: reason === FORBIDDEN };
}
