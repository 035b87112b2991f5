/** Tokens of OAuth 2 by client credentials (RFC 6749, 4.4). */
import { shownUrl } from '../../../shared/shown-url.ts';
import type { Http, HttpAnswer, TlsMaterial } from '../../trigger.ts';
import { parseJsonAnswer } from './http-source.ts';

export interface OauthClient {
  readonly oauthTokenURI?: string | undefined;
  readonly clientID?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scopes: readonly string[];
  readonly endpointParams?: URLSearchParams | undefined;
}

export interface OauthToken {
  readonly text: string;
  /** When to get the next, in milliseconds since 1970; infinite where the server names no end. */
  readonly endsMs: number;
}

interface Asking {
  readonly signal: AbortSignal;
  readonly tls: TlsMaterial;
  readonly now: Date;
}

/** A token is replaced this long before its end. */
const MARGIN_MS = 10_000;

/** Errors that a server tells only to clients that it has let in (RFC 6749, 5.2; RFC 8707, 2). */
const OF_KNOWN_CLIENTS: readonly string[] = [
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_target',
];

/** The client logs in by header or, where the server wants that, in the body. @throws {Error} */
export async function fetchOauthToken(
  client: OauthClient,
  http: Http,
  asking: Asking,
): Promise<OauthToken> {
  const url = new URL(client.oauthTokenURI ?? '');
  const byHeader = await request(url, client, http, asking, true);
  if (byHeader.status === 200) return tokenIn(url, byHeader, asking.now);
  const refusals = [describe(byHeader)];
  if (mayWantBody(byHeader)) {
    const inBody = await request(url, client, http, asking, false);
    if (inBody.status === 200) return tokenIn(url, inBody, asking.now);
    refusals.push(describe(inBody));
  }
  const told = [...new Set(refusals)].join(', and with the client in the body ');
  throw new Error(
    `${shownUrl(url)} gives no token: ${told} (check clientID, clientSecret and scopes)`,
  );
}

/** Whether the login may be what is refused, and not what is asked for. */
function mayWantBody(answer: HttpAnswer): boolean {
  return [400, 401].includes(answer.status) && !OF_KNOWN_CLIENTS.includes(codeIn(answer) ?? '');
}

function request(
  url: URL,
  { clientID = '', clientSecret = '', scopes, endpointParams }: OauthClient,
  http: Http,
  { signal, tls }: Asking,
  byHeader: boolean,
): Promise<HttpAnswer> {
  const body = new URLSearchParams(endpointParams);
  body.set('grant_type', 'client_credentials');
  if (scopes.length > 0) body.set('scope', scopes.join(' '));
  if (!byHeader) {
    body.set('client_id', clientID);
    body.set('client_secret', clientSecret);
  }
  const user = `${encodeURIComponent(clientID)}:${encodeURIComponent(clientSecret)}`;
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
    ...(byHeader && { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
  };
  return http.request(url, { method: 'POST', headers, body: body.toString(), signal, tls });
}

function tokenIn(url: URL, answer: HttpAnswer, now: Date): OauthToken {
  const { access_token: text, expires_in: seconds } = (parseJsonAnswer(url, answer) ?? {}) as {
    readonly access_token?: unknown;
    readonly expires_in?: unknown;
  };
  if (typeof text !== 'string' || text === '') {
    throw new Error(`${shownUrl(url)} gives no token: its answer has no access_token`);
  }
  const lifetimeMs = Number(seconds ?? Number.POSITIVE_INFINITY) * 1000;
  return { text, endsMs: now.getTime() + lifetimeMs - MARGIN_MS };
}

function describe(answer: HttpAnswer): string {
  const code = codeIn(answer);
  return `HTTP status ${answer.status}${code === undefined ? '' : `, ${code}`}`;
}

/** The code of the error, which the standard lists; what stands beside it may have what was sent. */
function codeIn({ text }: HttpAnswer): string | undefined {
  return /"error"\s*:\s*"([\w-]{1,40})"/.exec(text)?.[1];
}
