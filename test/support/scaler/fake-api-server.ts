import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ApiClient } from '../../../src/kubernetes/api-client.ts';
import type { Clock } from '../../../src/kubernetes/clock.ts';
import { settle } from './fake-clock.ts';
import { soon } from './soon.ts';

/** A request as it came. */
export interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export type Answer = (response: ServerResponse, request: ApiRequest) => void;

/** An API server on loopback that answers each request with the next of the answers it was given. */
export class FakeApiServer {
  readonly requests: ApiRequest[] = [];
  readonly #answers: Answer[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<FakeApiServer> {
    const fake = new FakeApiServer();
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): URL {
    // A server that listens on TCP has an AddressInfo.
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  /** Answers that come next, one for each request. */
  answer(...answers: readonly Answer[]): void {
    this.#answers.push(...answers);
  }

  /** A client of this server whose chance is always 0. */
  client(clock: Clock, options: { qps?: number; burst?: number; timeoutMs?: number } = {}) {
    const access = {
      server: this.url,
      namespace: undefined,
      proxy: undefined,
      credentials: async () => ({ headers: {}, tls: NO_TLS }),
      refuse: () => undefined,
    };
    return new ApiClient({ access, userAgent: 'test', clock, random: () => 0, ...options });
  }

  /** Resolves when that many requests have come, with the last of them. */
  async request(count: number): Promise<ApiRequest> {
    await soon(
      () => this.requests.length >= count,
      () => `only ${this.requests.length} of ${count} requests came`,
    );
    return this.requests[count - 1] as ApiRequest;
  }

  /** Resolves when the client has what was answered so far: the kernel brings it before a connection made after it. */
  async delivered(): Promise<void> {
    const later = connect(Number(this.url.port), this.url.hostname);
    await once(later, 'connect');
    later.destroy();
    await settle();
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '', 'http://api');
    const text = Buffer.concat(chunks).toString();
    const seen: ApiRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    this.requests.push(seen);
    const answer = this.#answers.shift() ?? status(500, 'Unexpected', 'no answer is left');
    answer(response, seen);
  }
}

/** The same each time: a change would make new connections. */
const NO_TLS = {};

/** Answers with a JSON value. */
export function json(value: unknown, code = 200): Answer {
  return (response) => {
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
}

/** Answers with an error as Kubernetes does. */
export function status(
  code: number,
  reason: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const body = JSON.stringify({ kind: 'Status', status: 'Failure', code, reason, message });
  return (response) => void response.writeHead(code, headers).end(body);
}

/** Breaks the connection without an answer. */
export const reset: Answer = (response) => void response.socket?.destroy();

/** A page of objects. */
export function list(version: string, items: readonly unknown[], next?: string): Answer {
  return json({ metadata: { resourceVersion: version, continue: next }, items });
}

/** Sends these lines of a watch, then ends it, breaks it off, or leaves it open. */
export function watch(lines: readonly string[], then: 'end' | 'break' | 'stay' = 'stay'): Answer {
  return (response) => {
    response.writeHead(200);
    response.flushHeaders();
    response.write(lines.join(''), () => {
      if (then === 'end') response.end();
      if (then === 'break') response.socket?.destroy();
    });
  };
}

/** One line of a watch. */
export function event(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}
