import type { Socket } from 'node:net';
import {
  Agent,
  buildConnector,
  type Dispatcher,
  EnvHttpProxyAgent,
  Pool,
  ProxyAgent,
} from 'undici';
import type { ClusterAccess, Credentials, Dial } from './credentials.ts';

/** Connections that requests share. */
const CONNECTIONS = 32;
const CONNECT_TIMEOUT_MS = 10_000;
/** Below the 90 s after which an API server closes idle connections of HTTP/1.1. */
const KEEP_ALIVE_MS = 60_000;

/** The connections to one API server, remade when the client certificate or the authorities change. */
export class Connections {
  readonly #access: ClusterAccess;
  readonly #env: NodeJS.ProcessEnv;
  #tls: Credentials['tls'] | undefined;
  #shared: Dispatcher | undefined;
  #own: Dispatcher | undefined;

  constructor(access: ClusterAccess, env: NodeJS.ProcessEnv = process.env) {
    this.#access = access;
    this.#env = env;
  }

  /** Where a request goes to: `own` never waits for a connection that others hold. */
  of(pool: 'shared' | 'own', { tls }: Credentials): Dispatcher {
    if (tls !== this.#tls) {
      void this.close();
      this.#tls = tls;
    }
    if (pool === 'own') {
      this.#own ??= this.#open(tls, null);
      return this.#own;
    }
    this.#shared ??= this.#open(tls, CONNECTIONS);
    return this.#shared;
  }

  /** Lets requests that go on end, and closes. Watches end with their signals. */
  async close(): Promise<void> {
    const open = [this.#shared, this.#own];
    this.#shared = undefined;
    this.#own = undefined;
    await Promise.all(open.map((each) => each?.close()));
  }

  #open(tls: Credentials['tls'], connections: number | null): Dispatcher {
    const common = {
      connections,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Each request has a limit of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const { proxy, proxyHeaders = {}, dial } = this.#access;
    if (proxy !== undefined) {
      return new ProxyAgent({
        ...common,
        uri: proxy.href,
        requestTls: tls,
        headers: proxyHeaders,
        ...(dial && { clientFactory: (origin) => new Pool(origin, { connect: over(dial, {}) }) }),
      });
    }
    if (dial !== undefined) return new Agent({ ...common, connect: over(dial, tls) });
    const connect = { ...tls, timeout: CONNECT_TIMEOUT_MS };
    if (!this.#env['HTTPS_PROXY'] && !this.#env['https_proxy']) {
      return new Agent({ ...common, connect });
    }
    return new EnvHttpProxyAgent({ ...common, connect, requestTls: tls });
  }
}

/** Connects over streams that `dial` opens. */
function over(dial: Dial, tls: Credentials['tls']): buildConnector.connector {
  const secure = buildConnector({ ...tls, timeout: CONNECT_TIMEOUT_MS });
  return (target, done) => {
    const isSecure = target.protocol === 'https:';
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const port = Number(target.port || (isSecure ? 443 : 80));
    dial({ host, port }).then(
      (stream) => {
        // Of a socket nothing is used here that a stream does not have.
        const socket = stream as Socket;
        if (isSecure) secure({ ...target, httpSocket: socket }, done);
        else done(null, socket);
      },
      (error: Error) => done(error, null),
    );
  };
}
