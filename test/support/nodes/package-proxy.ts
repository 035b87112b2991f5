import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CACHE, exists } from '../cache.ts';
import { mustRun } from '../run-command.ts';

/** A forward HTTP proxy by which a node's apt reaches what this machine's apt reaches. */
export interface PackageProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on one address of this machine. Packages that came through are kept in the cache. */
export async function startPackageProxy(address: string): Promise<PackageProxy> {
  const upstream = await upstreamProxy();
  const server = createServer((incoming, answer) => {
    serve(incoming, answer, upstream).catch(() => answer.destroy());
  });
  server.on('connect', tunnel);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return { port, close: () => closeServer(server) };
}

async function serve(
  incoming: IncomingMessage,
  answer: ServerResponse,
  upstream: URL | undefined,
): Promise<void> {
  const url = new URL(incoming.url ?? '');
  if (!url.pathname.endsWith('.deb')) {
    const response = await fetchFrom(url, incoming, upstream);
    answer.writeHead(response.statusCode ?? 502, response.headers);
    return pipeline(response, answer);
  }
  const file = join(CACHE, 'packages', nameOf(url));
  if (!(await exists(file))) {
    const response = await fetchFrom(url, incoming, upstream);
    if (response.statusCode !== 200) {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      return pipeline(response, answer);
    }
    await keep(response, file);
  }
  answer.writeHead(200, { 'content-length': (await stat(file)).size });
  await pipeline(createReadStream(file), answer);
}

async function keep(response: IncomingMessage, file: string): Promise<void> {
  const unfinished = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  await mkdir(join(CACHE, 'packages'), { recursive: true });
  await pipeline(response, createWriteStream(unfinished));
  await rename(unfinished, file);
}

function fetchFrom(
  url: URL,
  incoming: IncomingMessage,
  upstream: URL | undefined,
): Promise<IncomingMessage> {
  const headers = { ...incoming.headers, host: url.host };
  const target = upstream
    ? { host: upstream.hostname, port: upstream.port || 80, path: url.href }
    : { host: url.hostname, port: url.port || 80, path: url.pathname + url.search };
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...target, headers, method: incoming.method }, resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** HTTPS goes through unseen. */
function tunnel(incoming: IncomingMessage, client: Socket): void {
  const { hostname, port } = new URL(`http://${incoming.url}`);
  const server = connect(Number(port || 443), hostname, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    server.pipe(client).pipe(server);
  });
  server.on('error', () => client.destroy());
  client.on('error', () => server.destroy());
}

/** Where this machine's own apt goes through a proxy, the nodes do too. */
async function upstreamProxy(): Promise<URL | undefined> {
  const dump = await mustRun('apt-config', ['dump', 'Acquire::http::Proxy']);
  const address = /"(.+)"/.exec(dump)?.[1] ?? process.env['http_proxy'];
  return address ? new URL(address) : undefined;
}

function nameOf(url: URL): string {
  const digest = createHash('sha256').update(url.href).digest('hex').slice(0, 16);
  return `${digest}-${basename(url.pathname)}`;
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
