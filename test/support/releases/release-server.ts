import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a path answers: bytes, a file of this machine, or a redirection. */
type Answer = Buffer | { readonly file: string } | { readonly location: string };

/** What goes wrong once instead of the answer: a status, or a connection that ends in the middle of the body. */
type Mishap = number | 'cut';

/** A server that has files of many hosts, each below its host's name, as upstream has them. */
export interface ReleaseServer {
  /** Base URL, for `files_repo`. */
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly requests: string[];
  readonly answers: Map<string, Answer>;
  /** Mishaps still to come, by path. */
  readonly mishaps: Map<string, Mishap[]>;
  close(): Promise<void>;
}

/** Listens on one address of this machine. */
export async function startReleaseServer(address = '127.0.0.1'): Promise<ReleaseServer> {
  const answers = new Map<string, Answer>();
  const mishaps = new Map<string, Mishap[]>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    reply(request, response, { answer: answers.get(path), mishap: mishaps.get(path)?.shift() });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has one.
  return {
    ...{ url: `http://${address}:${port}`, requests, answers, mishaps },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function reply(
  _request: IncomingMessage,
  response: ServerResponse,
  { answer, mishap }: { answer: Answer | undefined; mishap: Mishap | undefined },
): void {
  if (typeof mishap === 'number') return void response.writeHead(mishap).end('no\n');
  if (answer === undefined) return void response.writeHead(404).end('Not Found\n');
  if ('location' in answer) {
    return void response.writeHead(302, { location: answer.location }).end();
  }
  if (mishap === 'cut') {
    const content = Buffer.isBuffer(answer) ? answer : readFileSync(answer.file);
    response.writeHead(200, { 'content-length': content.length });
    const half = content.subarray(0, Math.floor(content.length / 2));
    return void response.write(half, () => response.destroy());
  }
  const size = Buffer.isBuffer(answer) ? answer.length : statSync(answer.file).size;
  response.writeHead(200, { 'content-length': size });
  if (Buffer.isBuffer(answer)) response.end(answer);
  else createReadStream(answer.file).pipe(response);
}

/** One line of a list of sums as sha256sum writes it. */
export function sumLine(content: Buffer, name: string): string {
  return `${sha256(content)}  ${name}\n`;
}

export function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

export interface Release {
  /** `owner/name`. */
  readonly repository: string;
  readonly tag: string;
  readonly assets: Readonly<Record<string, Buffer | { readonly file: string }>>;
}

/** Publishes a release, and makes it the newest of its repository unless told otherwise. */
export function publish(
  server: ReleaseServer,
  { repository, tag, assets }: Release,
  { latest = true }: { readonly latest?: boolean } = {},
): void {
  const base = `/github.com/${repository}/releases`;
  for (const [name, content] of Object.entries(assets)) {
    server.answers.set(`${base}/download/${tag}/${name}`, content);
  }
  const location = `https://github.com/${repository}/releases/tag/${tag}`;
  if (latest) server.answers.set(`${base}/latest`, { location });
}
