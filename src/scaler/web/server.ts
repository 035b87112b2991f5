/** Fastify as every endpoint here uses it: quiet, answering until the last request is done, certificates exchanged while it runs. */
import { constants } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import type { SecureContextOptions, SecureVersion, Server as TlsServer } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { type Health, reportHealth } from './health.ts';

export interface ListenAddress {
  /** Default: every address. */
  readonly host?: string | undefined;
  /** 0: any free one. */
  readonly port: number;
}

/** A server that listens. */
export interface RunningServer {
  readonly port: number;
  /** Takes no more connections, waits for the requests that run (10 s at most), and ends. */
  close(): Promise<void>;
}

/** What every server has; metric names may be long, and clients keep their connections for 90 s. */
const OPTIONS = {
  routerOptions: { maxParamLength: 2048 },
  bodyLimit: 64 * 1024,
  requestTimeout: 30_000,
  keepAliveTimeout: 120_000,
  return503OnClosing: false,
  forceCloseConnections: 'idle',
} as const;

const CLOSE_GRACE_MS = 10_000;
/** Sessions that are taken up again would not show what the client's certificate leads to. */
const NO_RESUMPTION = constants.SSL_OP_NO_TICKET;

/** What connections to our servers must have at least. Default: TLS 1.2 with Node's ciphers. */
export interface TlsFloor {
  readonly leastVersion?: SecureVersion | undefined;
  /** As OpenSSL writes them. */
  readonly ciphers?: string | undefined;
}

/** Certificate and key of a server, and the authorities of its clients. */
export interface ServingTls extends TlsFloor {
  readonly cert: string;
  readonly key: string;
  readonly ca: string | string[];
}

/** How a server of TLS treats the certificates of clients. */
export type ClientCertificates = 'asked' | 'required';

export function makeHttpServer(): FastifyInstance {
  return Fastify(OPTIONS);
}

/**
 * A server of TLS that does not listen yet.
 * @param sendError Answers whatever a handler threw, and requests that no handler could be found for.
 */
export function makeTlsServer(
  tls: ServingTls,
  clients: ClientCertificates,
  sendError: (error: unknown, reply: FastifyReply) => FastifyReply,
): FastifyInstance {
  const https = {
    ...secureContext(tls),
    requestCert: true,
    rejectUnauthorized: clients === 'required',
  };
  const frameworkErrors = (error: Error, _request: unknown, reply: unknown) =>
    // Its type knows the server of TLS, which the rest of the program need not.
    void sendError(error, reply as FastifyReply);
  const app = Fastify({ ...OPTIONS, https, frameworkErrors }) as unknown as FastifyInstance;
  app.setErrorHandler((error, _request, reply) => sendError(error, reply));
  return app;
}

/** Uses other certificates for connections to come; those that exist go on. */
export function exchangeCertificates(app: FastifyInstance, tls: ServingTls): void {
  // Only servers that `makeTlsServer` made come here.
  (app.server as unknown as TlsServer).setSecureContext(secureContext(tls));
}

export function addHealthRoutes(app: FastifyInstance, { live, ready }: Health): void {
  const routes = { livez: live, healthz: live, readyz: ready };
  for (const [name, checks] of Object.entries(routes)) {
    app.get(`/${name}`, (_request, reply) => {
      const { isWell, text } = reportHealth(name, checks);
      return reply
        .code(isWell ? 200 : 500)
        .type('text/plain; charset=utf-8')
        .send(text);
    });
  }
}

/** Listens. Rejects where the address is taken. */
export async function listen(
  app: FastifyInstance,
  { host = everyAddress(), port }: ListenAddress,
): Promise<RunningServer> {
  await app.listen({ host, port });
  const address = app.server.address();
  const actual = typeof address === 'object' ? address?.port : undefined;
  return { port: actual ?? port, close: () => closeGracefully(app) };
}

/** Both families where the machine has IPv6 at all. */
function everyAddress(): string {
  const interfaces = Object.values(networkInterfaces()).flat();
  return interfaces.some((each) => each?.family === 'IPv6') ? '::' : '0.0.0.0';
}

async function closeGracefully(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS);
  await app.close().finally(() => clearTimeout(timer));
}

function secureContext({ leastVersion, ciphers, ...tls }: ServingTls): SecureContextOptions {
  return {
    ...tls,
    minVersion: leastVersion ?? 'TLSv1.2',
    ...(ciphers !== undefined && { ciphers }),
    secureOptions: NO_RESUMPTION,
  };
}
