/** Tokens for `sasl: oauthbearer`, by client credentials. */
import type { TriggerTools } from '../../trigger.ts';
import type { TokenProvider } from './kafka-oauth-bearer.ts';
import { fetchOauthToken, type OauthToken } from './oauth.ts';
import { CONNECT_TIMEOUT_MS } from './source.ts';

interface TokenClient {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly scopes: readonly string[];
  readonly oauthTokenEndpointUri?: string | undefined;
  readonly oauthExtensions: Readonly<Record<string, string>>;
}

/** Keeps each token until shortly before its end: brokers ask whenever a connection is made. */
export function kafkaTokens(
  { username, password, scopes, oauthTokenEndpointUri, oauthExtensions }: TokenClient,
  { http, now }: Pick<TriggerTools, 'http' | 'now'>,
): TokenProvider {
  const client = {
    oauthTokenURI: oauthTokenEndpointUri,
    clientID: username,
    clientSecret: password,
    scopes,
  };
  let token: OauthToken | undefined;
  return async () => {
    if (token === undefined || token.endsMs <= now().getTime()) {
      const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
      token = await fetchOauthToken(client, http, { signal, tls: {}, now: now() });
    }
    return { value: token.text, extensions: oauthExtensions };
  };
}
