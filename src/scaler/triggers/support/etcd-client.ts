/** The JSON gateway of etcd (API v3): keys and values travel in base64. */
import { shownUrl } from '../../../shared/shown-url.ts';
import type { Http, HttpAnswer, TlsMaterial } from '../../trigger.ts';
import { parseJsonAnswer, requireSuccess, urlBelow } from './http-source.ts';

export interface EtcdServer extends TlsMaterial {
  /** Asked in turn until one answers. */
  readonly endpoints: readonly URL[];
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

const TIMEOUT_MS = 5000;

interface Range {
  readonly kvs?: readonly { readonly value?: string }[];
}
interface WatchLine {
  readonly error?: { readonly message?: string };
  readonly result?: {
    readonly canceled?: boolean;
    readonly cancel_reason?: string;
    readonly events?: readonly {
      readonly type?: string;
      readonly kv?: { readonly value?: string };
    }[];
  };
}

export class EtcdClient {
  readonly #server: EtcdServer;
  readonly #http: Http;
  readonly #tls: TlsMaterial;
  #token: string | undefined;

  constructor(server: EtcdServer, http: Http) {
    const { ca, cert, key, keyPassword, isUnsafe } = server;
    this.#server = server;
    this.#http = http;
    this.#tls = { ca, cert, key, keyPassword, isUnsafe };
  }

  /** The value of a key, or undefined where there is none. */
  async get(key: string, signal: AbortSignal): Promise<string | undefined> {
    const { endpoints } = this.#server;
    const found = await firstOf(endpoints, (endpoint) => this.#range(endpoint, key, signal));
    const [pair] = found.kvs ?? [];
    return pair === undefined ? undefined : decode(pair.value);
  }

  /** The values that a key gets. Ends when etcd ends it; throws after `timeoutMs` without a word. */
  async *watch(key: string, timeoutMs: number, signal: AbortSignal): AsyncGenerator<string> {
    const endpoint = await firstOf(this.#server.endpoints, async (candidate) => {
      this.#token = undefined; // A watch with a token that has ended would only be silent.
      await this.#range(candidate, key, signal);
      return candidate;
    });
    const body = JSON.stringify({ create_request: { key: encode(key), progress_notify: true } });
    const request = { ...this.#options(), body, timeoutMs, signal };
    const lines = this.#http.lines(urlBelow(endpoint.href, '/v3/watch'), request);
    for await (const line of lines) yield* valuesIn(line);
  }

  /** With a new token where the last has ended, which it does after some minutes. */
  async #range(endpoint: URL, key: string, signal: AbortSignal): Promise<Range> {
    const url = urlBelow(endpoint.href, '/v3/kv/range');
    const ask = () => this.#post(url, { key: encode(key) }, signal);
    if (this.#token === undefined) await this.#logIn(endpoint, signal);
    let answer = await ask();
    if (answer.status === 401) {
      await this.#logIn(endpoint, signal);
      answer = await ask();
    }
    requireAnswer(url, answer, [this.#token]);
    return Object(parseJsonAnswer(url, answer));
  }

  async #logIn(endpoint: URL, signal: AbortSignal): Promise<void> {
    this.#token = undefined;
    const { username: name, password } = this.#server;
    if (name === undefined) return;
    const url = urlBelow(endpoint.href, '/v3/auth/authenticate');
    const answer = await this.#post(url, { name, password }, signal);
    requireAnswer(url, answer, [password]);
    this.#token = Object(parseJsonAnswer(url, answer)).token;
  }

  #post(url: URL, body: object, signal: AbortSignal): Promise<HttpAnswer> {
    const request = { ...this.#options(), body: JSON.stringify(body), signal };
    return this.#http.request(url, { ...request, timeoutMs: TIMEOUT_MS });
  }

  #options() {
    const headers = this.#token === undefined ? {} : { authorization: this.#token };
    return { method: 'POST', headers, tls: this.#tls } as const;
  }
}

/** @throws {Error} also where etcd will not have a certificate that names a user beside one who logs in. */
function requireAnswer(url: URL, answer: HttpAnswer, secrets: readonly (string | undefined)[]) {
  if (answer.status === 400 && answer.text.includes('CommonName of client')) {
    throw new Error(
      `${shownUrl(url)} refuses the certificate because it has a common name, and etcd has users: ` +
        'give a certificate without one in cert and key',
    );
  }
  requireSuccess(url, answer, secrets);
}

const encode = (text: string) => Buffer.from(text).toString('base64');
const decode = (text = '') => Buffer.from(text, 'base64').toString();

/** @throws {Error} with the reason of each, where all fail. */
async function firstOf<T>(
  endpoints: readonly URL[],
  ask: (endpoint: URL) => Promise<T>,
): Promise<T> {
  const reasons: string[] = [];
  for (const endpoint of endpoints) {
    try {
      return await ask(endpoint);
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  throw new Error([...new Set(reasons)].join('; '));
}

/** @throws {Error} where etcd ends the watch. */
function valuesIn(line: string): readonly string[] {
  const { error, result = {} } = JSON.parse(line) as WatchLine;
  if (error !== undefined || result.canceled) {
    throw new Error(`etcd ended the watch: ${error?.message ?? result.cancel_reason}`);
  }
  return (result.events ?? [])
    .filter(({ type }) => type !== 'DELETE')
    .map(({ kv }) => decode(kv?.value));
}
