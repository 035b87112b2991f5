import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface WebServer {
  /** `http://127.0.0.1:<port>`, https with certificates. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a server on loopback that answers as told. */
export async function serve(listener: RequestListener, tls?: ServerOptions): Promise<WebServer> {
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
