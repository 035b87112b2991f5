import type { Dispatcher } from 'undici';
import { ApiError, ApiUnreachable } from './api-error.ts';
import type { Random } from './backoff.ts';
import { type Clock, sleep, systemClock } from './clock.ts';
import { Connections } from './connections.ts';
import type { ClusterAccess } from './credentials.ts';
import { Deadline } from './deadline.ts';
import { codeOf, Patience } from './patience.ts';
import { TokenBucket } from './token-bucket.ts';
import { parseWarnings } from './warnings.ts';

export interface ClientOptions {
  readonly access: ClusterAccess;
  /** Sent as User-Agent: what audit logs and priority levels see. */
  readonly userAgent: string;
  /** Requests per second that we allow ourselves on average; default 100. */
  readonly qps?: number | undefined;
  /** And at once; default 200. */
  readonly burst?: number | undefined;
  /** A request that has not ended after this long has failed; default 30 s. Waiting for our own limit does not count. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly query?: Query | undefined;
  readonly timeoutMs?: number | undefined;
  /** Passes our own limit and waits for nobody's connection: what must not be late when there is much to do. */
  readonly isUrgent?: boolean | undefined;
  /** Called each time right before the request is sent; where it throws, nothing is sent and that is the error. */
  readonly guard?: (() => void) | undefined;
  /** Hears what the server warns of beside its answer: deprecated versions, unknown fields. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

export interface Sending extends RequestOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string | undefined;
}

type Body = Dispatcher.ResponseData['body'];
/** What is made of the body of an answer, still within the time limit. */
type Read<T> = (body: Body) => Promise<T>;

const TIMEOUT_MS = 30_000;

/** Sends requests with what identifies us, within our own limit, and again where that is right. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #bucket: TokenBucket;
  readonly #connections: Connections;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    const { qps = 100, burst = 200 } = options;
    this.#bucket = new TokenBucket(this.#clock, { perSecond: qps, burst });
    this.#connections = new Connections(options.access);
  }

  /** Sends until there is an answer that is worth giving, and gives what `read` makes of it. */
  async send<T>(sending: Sending, kind: 'request' | 'watch', read: Read<T>): Promise<T> {
    const patience = new Patience(sending.method === 'GET', this.#random);
    for (;;) {
      if (!sending.isUrgent) await this.#bucket.take(sending.signal);
      sending.guard?.();
      try {
        return await this.#attempt(sending, kind, read);
      } catch (error) {
        const delayMs = patience.delayMs(error);
        if (delayMs === undefined) throw error;
        if (error instanceof ApiError && error.code === 401) this.#options.access.refuse();
        await sleep(this.#clock, delayMs, sending.signal);
      }
    }
  }

  /** Lets requests that go on end, and closes the connections. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  async #attempt<T>(sending: Sending, kind: 'request' | 'watch', read: Read<T>): Promise<T> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS } = sending;
    const deadline = new Deadline(this.#clock, timeoutMs, signal);
    try {
      const { statusCode, headers, body } = await this.#request(sending, kind, deadline.signal);
      if (statusCode >= 400) {
        throw ApiError.of(
          nameOf(sending),
          statusCode,
          await body.text(),
          first(headers['retry-after']),
        );
      }
      if (sending.onWarning) parseWarnings(headers['warning']).forEach(sending.onWarning);
      return await read(body);
    } catch (error) {
      if (error instanceof ApiError || error instanceof ApiUnreachable) throw error;
      signal?.throwIfAborted();
      throw this.#unreachable(sending, error, timeoutMs, deadline);
    } finally {
      // A watch goes on after its answer has begun: only its own signal ends it then.
      deadline.clear({ isSignalKept: kind === 'watch' });
    }
  }

  async #request(
    { method, path, query, body, contentType = 'application/json', accept, isUrgent }: Sending,
    kind: 'request' | 'watch',
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { access, userAgent } = this.#options;
    const credentials = await access.credentials();
    const root = access.server.pathname.replace(/\/$/, '');
    const pool = kind === 'watch' || isUrgent ? 'own' : 'shared';
    return this.#connections.of(pool, credentials).request({
      origin: access.server.origin,
      path: root + path + renderQuery(query),
      method,
      signal,
      headers: {
        ...credentials.headers,
        accept: accept ?? 'application/json',
        'user-agent': userAgent,
        ...(body !== undefined && { 'content-type': contentType }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
  }

  #unreachable(sending: Sending, cause: unknown, timeoutMs: number, deadline: Deadline): Error {
    const request = `${nameOf(sending)} on ${this.#options.access.server.origin}`;
    if (deadline.isPast)
      return new ApiUnreachable(`${request} had no answer after ${timeoutMs / 1000} s`);
    const text = cause instanceof Error ? cause.message || codeOf(cause) : String(cause);
    return new ApiUnreachable(`${request} had no answer: ${text}`, { cause });
  }
}

function renderQuery(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

function nameOf({ method, path }: Sending): string {
  return `${method} ${path}`;
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
