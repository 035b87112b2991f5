/**
 * Servers that take many minutes to build answer once, by hand; CI hears the same answers out of a file of
 * `test/sources/recorded/`.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { isRecording, isReplayed } from '../recording.ts';
import { serve } from '../scaler/web-server.ts';
import { ROOT } from '../source-files.ts';
import type { RunningServer } from './server.ts';

/** A server at an address. */
export interface AddressedServer extends RunningServer {
  readonly url: string;
}

/** A server whose answers are real, or were. */
export interface RecordedServer extends AddressedServer {
  /** Tells that the test changes what the server holds: the same request may have another answer from here on. */
  readonly changed: () => void;
}

interface Exchange {
  /** How often the test had changed what the server holds. */
  readonly changes: number;
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers of a connection, not of an answer; `content-encoding` is undone by the client that records. */
const OF_CONNECTION = /^(date|connection|keep-alive|transfer-encoding|content-(length|encoding))$/;

/**
 * @param name Of the file with the answers; without one the server is always real.
 * @param start Starts the real server; not called where answers are replayed.
 */
export async function recordedServer(
  name: string | undefined,
  start: () => Promise<AddressedServer>,
): Promise<RecordedServer> {
  const file = join(ROOT, 'test/sources/recorded', `${name}.json`);
  if (isReplayed && name !== undefined) return replay(file);
  const real = await start();
  if (!isRecording || name === undefined)
    return { url: real.url, stop: () => real.stop(), changed: () => undefined };
  return record(file, real);
}

async function record(file: string, real: AddressedServer): Promise<RecordedServer> {
  const exchanges: Exchange[] = [];
  let changes = 0;
  const server = await serve(async (request, response) => {
    const body = await textOf(request);
    const answer = await fetch(`${real.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headersOf(request.headers),
      ...(body !== '' && { body }),
    });
    const { status } = answer;
    const headers = headersOf(Object.fromEntries(answer.headers));
    const heard = { changes, request: keyOf(request, body), status, headers };
    const exchange = { ...heard, body: await answer.text() };
    exchanges.push(exchange);
    send(response, exchange);
  });
  return {
    url: server.url,
    changed: () => {
      changes += 1;
    },
    async stop() {
      await server.close();
      await real.stop();
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify(exchanges, null, 1)}\n`);
    },
  };
}

async function replay(file: string): Promise<RecordedServer> {
  const exchanges = JSON.parse(await readFile(file, 'utf8')) as readonly Exchange[];
  let changes = 0;
  const server = await serve(async (request, response) => {
    const key = keyOf(request, await textOf(request));
    const known = exchanges.filter((each) => each.request === key && each.changes <= changes);
    // The newest of its time: a server may have answered otherwise before it was ready.
    const exchange = known.at(-1);
    if (exchange === undefined) {
      response.writeHead(501).end(`${file} has no answer to: ${key}`);
      return;
    }
    send(response, exchange);
  });
  return {
    url: server.url,
    stop: () => server.close(),
    changed: () => {
      changes += 1;
    },
  };
}

/** What tells one request from another. */
function keyOf({ method, url, headers }: IncomingMessage, body: string): string {
  const who = headers.authorization ?? headers['x-vault-token'] ?? '';
  return [method, url, who, body].join(' ').trim();
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => !/^host$/.test(name) && !OF_CONNECTION.test(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function send(response: ServerResponse, { status, headers, body }: Exchange): void {
  response.writeHead(status, headers).end(body);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
