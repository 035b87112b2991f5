/** Under which address other machines find this one. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/** The address that this machine has towards a server. Nothing is sent. */
export async function addressTowards({ hostname, port }: URL): Promise<string> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  try {
    return await localAddress(socket, host, Number(port || 443));
  } finally {
    socket.close();
  }
}

async function localAddress(socket: Socket, host: string, port: number): Promise<string> {
  socket.connect(port, host);
  await once(socket, 'connect');
  return socket.address().address;
}

/** `host:port`, with IPv6 in brackets. */
export function formatAddress(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
