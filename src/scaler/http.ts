/** HTTP for triggers: pooled connections, proxies of the environment, time limits, a limit to the size of answers. */
import { createHash } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent, request as send } from 'undici';
import { shownUrl } from '../shared/shown-url.ts';
import { Deadline } from './deadline.ts';
import { LruMap } from './lru-map.ts';
import { type ProxyEnvironment, proxyFor } from './proxy.ts';
import { parseTlsVersion, readAuthorities, type TlsPolicy, tlsOptions } from './tls.ts';
import type { Http, HttpAnswer, HttpRequest, TlsMaterial } from './trigger.ts';

export interface HttpSettings {
  readonly timeoutMs: number;
  /** Characters of an answer beyond this many make it an error. */
  readonly answerBytes: number;
  readonly tls: TlsPolicy;
  readonly proxies: ProxyEnvironment;
}

export interface HttpClient extends Http {
  /** Ends all connections once their requests are answered. */
  close(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 3000;
const DEFAULT_ANSWER_BYTES = 16 * 2 ** 20;
const MOST_REDIRECTS = 10;
/** One per TLS material and proxy in use; those of rotated secrets fall out. */
const MOST_DISPATCHERS = 256;

/** The settings that the environment asks for. Throws an Error that names the variable that is wrong. */
export function httpSettings(
  environment: NodeJS.ProcessEnv,
  authorityDirectories: readonly string[] = [],
): HttpSettings {
  const timeout = environment['TSPROV_SCALER_HTTP_TIMEOUT_MS'] || `${DEFAULT_TIMEOUT_MS}`;
  if (!/^[1-9]\d*$/.test(timeout)) {
    throw new Error(
      `TSPROV_SCALER_HTTP_TIMEOUT_MS must be a number of milliseconds and not "${timeout}"`,
    );
  }
  return {
    timeoutMs: Number(timeout),
    answerBytes: DEFAULT_ANSWER_BYTES,
    proxies: environment,
    tls: {
      authorities: readAuthorities(authorityDirectories),
      leastVersion: parseTlsVersion(environment['TSPROV_SCALER_HTTP_MIN_TLS_VERSION'] || 'TLS12'),
    },
  };
}

export function createHttp(settings: HttpSettings): HttpClient {
  const dispatchers = new LruMap<string, Dispatcher>(MOST_DISPATCHERS, (dispatcher) => {
    dispatcher.close().catch(() => {}); // Its connections end anyhow.
  });
  const dispatcherFor = (url: URL, material: TlsMaterial | undefined) => {
    const proxy = proxyFor(url, settings.proxies);
    return dispatchers.getOr(keyOf(proxy, material), () =>
      createDispatcher(settings.tls, material, proxy),
    );
  };
  const ask = (url: URL, request: HttpRequest, deadline: Deadline) =>
    following(url, request, (to, headers) =>
      sendOnce(to, { ...request, headers }, dispatcherFor(to, request.tls), deadline.signal),
    );
  return {
    request: (url, request) =>
      within(url, request, settings, async (deadline) => {
        const answer = await ask(url, request, deadline);
        const text = await readText(answer.body, settings.answerBytes);
        return { status: answer.statusCode, headers: headersOf(answer), text };
      }),
    lines: (url, request) => readLines(url, request, { settings, ask }),
    close: async () => {
      await Promise.all(dispatchers.drain().map((dispatcher) => dispatcher.close()));
    },
  };
}

type Answer = Dispatcher.ResponseData;
type Ask = (url: URL, request: HttpRequest, deadline: Deadline) => Promise<Answer>;

function keyOf(proxy: URL | undefined, material: TlsMaterial = {}): string {
  const { ca, cert, key, keyPassword, isUnsafe = false } = material;
  const hash = createHash('sha256');
  return hash
    .update(JSON.stringify([proxy?.href, ca, cert, key, keyPassword, isUnsafe]))
    .digest('hex');
}

/** The secure context is made once, not for each connection: it parses all authorities. */
function createDispatcher(
  policy: TlsPolicy,
  material: TlsMaterial | undefined,
  proxy: URL | undefined,
): Dispatcher {
  const options = tlsOptions(policy, material);
  const { rejectUnauthorized } = options;
  const tls = { secureContext: createSecureContext(options), rejectUnauthorized };
  if (proxy === undefined) return new Agent({ connect: tls });
  return new ProxyAgent({ uri: proxy.href, requestTls: tls, proxyTunnel: false });
}

/** Sends, and again at the address that a redirection names. Another host gets no headers: they may hold secrets. */
async function following(
  url: URL,
  { method = 'GET', headers = {} }: HttpRequest,
  get: (url: URL, headers: Readonly<Record<string, string>>) => Promise<Answer>,
): Promise<Answer> {
  let [target, sent] = [url, withUser(url, headers)];
  for (let redirects = 0; ; redirects++) {
    const answer = await get(target, sent);
    const location = answer.headers['location'];
    const isRedirection = answer.statusCode >= 300 && answer.statusCode < 400;
    if (method !== 'GET' || !isRedirection || typeof location !== 'string') return answer;
    await answer.body.dump();
    if (redirects === MOST_REDIRECTS) throw new Error(`redirects more than ${redirects} times`);
    const next = new URL(location, target);
    if (next.origin !== target.origin) sent = {};
    target = next;
  }
}

/** User and password of a URL are meant for basic authentication. */
function withUser(url: URL, headers: Readonly<Record<string, string>>) {
  if (url.username === '' || Object.keys(headers).some((name) => /^authorization$/i.test(name))) {
    return headers;
  }
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { ...headers, authorization: `Basic ${Buffer.from(user).toString('base64')}` };
}

/** A kept connection may have ended just then: what only reads is sent once more. */
async function sendOnce(
  url: URL,
  { method = 'GET', headers = {}, body }: HttpRequest,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Answer> {
  const options = {
    method,
    headers: { 'user-agent': 'tsprov-scaler', ...headers },
    body: body ?? null,
    signal,
    dispatcher,
    headersTimeout: 0, // The deadline is ours.
    bodyTimeout: 0,
  };
  try {
    return await send(url, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (method !== 'GET' || (code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET')) throw error;
    return await send(url, options);
  }
}

async function readText(body: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > limit) throw new Error(`answers with more than ${limit} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

async function* readLines(
  url: URL,
  request: HttpRequest,
  { settings, ask }: { readonly settings: HttpSettings; readonly ask: Ask },
): AsyncGenerator<string> {
  const deadline = new Deadline(request.signal, request.timeoutMs || settings.timeoutMs);
  try {
    const answer = await ask(url, request, deadline);
    if (answer.statusCode >= 300) throw new Error(`answers with HTTP status ${answer.statusCode}`);
    let rest = '';
    const decoder = new TextDecoder();
    for await (const piece of answer.body) {
      deadline.postpone();
      const lines = (rest + decoder.decode(piece as Buffer, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > settings.answerBytes) throw new Error('sends a line without an end');
      yield* lines.filter((line) => line.trim() !== '');
    }
    if (rest.trim() !== '') yield rest;
  } catch (error) {
    throw explain(url, error, deadline);
  } finally {
    deadline.cancel();
  }
}

async function within<T>(
  url: URL,
  { signal, timeoutMs }: HttpRequest,
  settings: HttpSettings,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = new Deadline(signal, timeoutMs || settings.timeoutMs);
  try {
    return await work(deadline);
  } catch (error) {
    throw explain(url, error, deadline);
  } finally {
    deadline.cancel();
  }
}

function headersOf({ headers }: Answer): HttpAnswer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The same for every trigger: which address, what happened, what to do. Causes stay attached. */
function explain(url: URL, error: unknown, deadline: Deadline): Error {
  if (deadline.hasPassed) {
    return new Error(`${shownUrl(url)} did not answer within ${deadline.timeoutMs} ms`);
  }
  return new Error(`${shownUrl(url)} ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  const { message, code = 'no reason given' } = error as NodeJS.ErrnoException;
  if (/^(?:answers|redirects|sends) /.test(message)) return message;
  if (UNTRUSTED.has(code)) {
    return (
      'shows a certificate of an authority that is not trusted: ' +
      'give its PEM text as ca in a TriggerAuthentication, or to the operator'
    );
  }
  return `cannot be asked: ${message || code}`;
}
