import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Direction = 'up' | 'down';

/** Where connections through a proxy go. */
export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** A TCP proxy on loopback. */
export interface TcpProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Carries one chunk on; called in the order of arrival for each direction of each connection. */
export type Carry = (direction: Direction, chunk: Buffer, send: () => void) => void;

/** Listens on a free port of loopback and connects every client to the target; `carry` decides when data goes on. */
export async function startTcpProxy(target: ProxyTarget, carry: Carry): Promise<TcpProxy> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...target, noDelay: true });
    join('up', client, upstream, carry);
    join('down', upstream, client, carry);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function join(direction: Direction, from: Socket, to: Socket, carry: Carry): void {
  from.on('data', (chunk) => carry(direction, chunk, () => to.write(chunk)));
  // The end travels behind the data that came before it.
  from.on('end', () => carry(direction, Buffer.alloc(0), () => to.end()));
  from.on('error', () => to.destroy());
}
