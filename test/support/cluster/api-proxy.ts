/** What stands between an operator and the API server, and lets a test come between them. */
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ControlPlane } from './control-plane.ts';
import { SCALER_NAMESPACE } from './manifests.ts';
import { OPERATOR_ACCOUNT } from './operator.ts';

/**
 * What the API server answers when others have written meanwhile, or when it has too much to do; or it does what it is asked for,
 * and nobody hears of it.
 */
export type Refusal = 'conflict' | 'too many requests' | 'lost answer';

interface Upstream {
  readonly server: URL;
  readonly agent: Agent;
  /** Of the operator's service account. */
  readonly token: string;
  readonly name: string;
}

/** Carries requests of the operator to the API server, with a name that is then in the audit log: the end of the user agent. */
export class ApiProxy {
  /** Of the operator that is to use it. */
  readonly kubeconfigPath: string;
  /** Which writes come to nothing, as it seems. */
  refuse: (method: string, path: string) => Refusal | undefined = () => undefined;
  /** How many writes were refused. */
  refused = 0;
  readonly #server: Server;
  readonly #sockets: ReadonlySet<Socket>;
  #isCut = false;

  private constructor(server: Server, sockets: ReadonlySet<Socket>, kubeconfigPath: string) {
    this.#server = server;
    this.#sockets = sockets;
    this.kubeconfigPath = kubeconfigPath;
  }

  static async start(plane: ControlPlane, name: string): Promise<ApiProxy> {
    const account = await plane.kubeconfigForAccount(SCALER_NAMESPACE, OPERATOR_ACCOUNT);
    const config = JSON.parse(await readFile(account, 'utf8'));
    const path = `${account}.${name}`;
    const upstream = {
      server: plane.server,
      agent: new Agent({ keepAlive: true, ca: await readFile(plane.authorityPath) }),
      token: config.users[0].user.token as string,
      name,
    };
    const sockets = new Set<Socket>();
    const server = createServer((from, to) => proxy.#carry(from, to, upstream));
    server.on('connection', (socket) => {
      if (proxy.#isCut) socket.destroy();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    config.clusters[0].cluster = { server: `http://127.0.0.1:${port}` };
    config.users[0].user = {};
    await writeFile(path, JSON.stringify(config));
    const proxy = new ApiProxy(server, sockets, path);
    return proxy;
  }

  /** Nothing gets through until `mend`: a network that is cut. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #carry(
    from: IncomingMessage,
    to: ServerResponse,
    { server, agent, token, name }: Upstream,
  ): void {
    const { method = 'GET', url: path = '/' } = from;
    const refusal = method === 'GET' ? undefined : this.refuse(method, path);
    if (refusal !== undefined) this.refused += 1;
    if (refusal === 'conflict' || refusal === 'too many requests') {
      from.resume().once('end', () => answer(to, refusal));
      return;
    }
    const { hostname, port } = server;
    const headers = {
      ...from.headers,
      authorization: `Bearer ${token}`,
      'user-agent': `${from.headers['user-agent']} ${name}`,
    };
    const upstream = request({ hostname, port, method, path, headers, agent }, (response) => {
      if (refusal === 'lost answer') {
        to.destroy();
        return;
      }
      to.writeHead(response.statusCode ?? 502, response.headers);
      // A watch has begun once its head is there, though nothing may happen for a long time.
      to.flushHeaders();
      response.on('error', () => to.destroy());
      response.pipe(to);
    });
    upstream.on('error', () => to.destroy());
    // Else a watch would go on whose reader is gone.
    to.once('close', () => upstream.destroy());
    from.pipe(upstream);
  }
}

function answer(to: ServerResponse, refusal: Exclude<Refusal, 'lost answer'>): void {
  const code = refusal === 'conflict' ? 409 : 429;
  const reason = refusal === 'conflict' ? 'Conflict' : 'TooManyRequests';
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: refusal, reason };
  to.writeHead(code, {
    'content-type': 'application/json',
    ...(code === 429 && { 'retry-after': '1' }),
  });
  to.end(JSON.stringify({ ...status, code }));
}
