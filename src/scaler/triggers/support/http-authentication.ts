/** How triggers that ask over HTTP log in: the parameters, their rules, and requests that carry the credentials. */
import {
  choice,
  choiceList,
  type Http,
  type HttpRequest,
  list,
  optional,
  query,
  secret,
  type TlsMaterial,
  type TriggerTools,
  text,
  type ValuesOf,
} from '../../trigger.ts';
import { checkHttpUrl } from './http-source.ts';
import { fetchOauthToken, type OauthToken } from './oauth.ts';

const FROM_AUTHENTICATION = { from: ['authentication'] } as const;
const FROM_BOTH = { from: ['metadata', 'authentication'] } as const;

export const httpAuthentication = {
  authModes: choiceList(
    ['apiKey', 'basic', 'tls', 'bearer', 'custom', 'oauth'],
    'Ways to log in, one or several; without them credentials are not used.',
    { ...FROM_BOTH, aliases: ['authMode'], default: [] },
  ),
  bearerToken: optional(secret('Token of mode bearer.', { aliases: ['token'] })),
  username: optional(text('User of mode basic.', FROM_AUTHENTICATION)),
  password: optional(secret('Password of mode basic; may be empty.')),
  ca: optional(
    text('Authority that signed the certificate of the server, PEM.', FROM_AUTHENTICATION),
  ),
  cert: optional(text('Certificate of mode tls, PEM.', FROM_AUTHENTICATION)),
  key: optional(secret('Private key of mode tls, PEM.')),
  oauthTokenURI: optional(text('Where mode oauth gets its tokens.', FROM_AUTHENTICATION)),
  clientID: optional(text('Client of mode oauth.', FROM_AUTHENTICATION)),
  clientSecret: optional(secret('Secret of the client of mode oauth, where it has one.')),
  scopes: list('Scopes that mode oauth asks for.', {
    ...FROM_AUTHENTICATION,
    aliases: ['scope'],
    default: [],
  }),
  endpointParams: optional(
    query('More parameters for tokens of mode oauth, such as audience=x.', FROM_AUTHENTICATION),
  ),
  customAuthHeader: optional(text('Name of the header of mode custom.', FROM_AUTHENTICATION)),
  customAuthValue: optional(secret('Value of the header of mode custom.')),
  apiKey: optional(secret('Key of mode apiKey.', FROM_BOTH)),
  method: choice(['header', 'query'], 'Where mode apiKey puts its key.', {
    ...FROM_BOTH,
    default: 'header',
  }),
  keyParamName: optional(
    text('Name of header or query parameter of mode apiKey: X-API-KEY, or api_key.', FROM_BOTH),
  ),
};
export type HttpCredentials = ValuesOf<typeof httpAuthentication>;

/** For the pages of triggers. */
export const OAUTH_NOTE =
  'Mode `oauth` gets tokens by client credentials, keeps each until shortly before its end, and gets another where one is refused. KEDA takes the mode here without carrying it out.';

type Mode = HttpCredentials['authModes'][number];

const NEEDED: Readonly<Record<Mode, readonly (keyof HttpCredentials)[]>> = {
  apiKey: ['apiKey'],
  basic: ['username'],
  tls: ['cert', 'key'],
  bearer: ['bearerToken'],
  custom: ['customAuthHeader', 'customAuthValue'],
  oauth: ['oauthTokenURI', 'clientID'],
};
const EXCLUSIVE: readonly Mode[] = ['bearer', 'basic', 'oauth'];

export function checkAuthentication(credentials: HttpCredentials): readonly string[] {
  const modes = [...new Set(credentials.authModes)];
  const rivals = modes.filter((mode) => EXCLUSIVE.includes(mode));
  return [
    ...(rivals.length > 1 ? [`authModes has ${rivals.join(' and ')}: choose one of them`] : []),
    ...modes.flatMap((mode) =>
      NEEDED[mode]
        .filter((name) => credentials[name] === undefined)
        .map((name) => `${name} is missing: authModes ${mode} needs it in a TriggerAuthentication`),
    ),
  ];
}

/** The problem of the address where tokens come from. */
export function checkTokenUrl({
  oauthTokenURI,
}: Pick<HttpCredentials, 'oauthTokenURI'>): readonly string[] {
  return oauthTokenURI === undefined ? [] : checkHttpUrl('oauthTokenURI', oauthTokenURI);
}

/** What must never be shown. */
export function secretsOf(credentials: HttpCredentials): readonly (string | undefined)[] {
  const { bearerToken, password, clientSecret, customAuthValue, apiKey } = credentials;
  return [bearerToken, password, clientSecret, customAuthValue, apiKey];
}

/** HTTP that logs in. A token of OAuth is kept until shortly before it ends, and replaced once it is refused. */
export function authenticatedHttp(
  credentials: HttpCredentials,
  { http, now }: Pick<TriggerTools, 'http' | 'now'>,
  isUnsafe: boolean | undefined,
): Pick<Http, 'request'> {
  const tls = tlsOf(credentials, isUnsafe);
  const isOauth = credentials.authModes.includes('oauth');
  let token: OauthToken | undefined;
  const send = async (url: URL, request: HttpRequest) => {
    if (isOauth && (token === undefined || token.endsMs <= now().getTime())) {
      token = await fetchOauthToken(credentials, http, { signal: request.signal, tls, now: now() });
    }
    const headers = { ...request.headers, ...headersOf(credentials, token) };
    return http.request(withKey(url, credentials), { ...request, headers, tls });
  };
  return {
    async request(url, request) {
      const isKept = token !== undefined;
      const answer = await send(url, request);
      if (answer.status !== 401 || !isKept) return answer;
      token = undefined;
      return send(url, request);
    },
  };
}

function tlsOf({ authModes, ca, cert, key }: HttpCredentials, isUnsafe?: boolean): TlsMaterial {
  return { ca, isUnsafe, ...(authModes.includes('tls') && { cert, key }) };
}

function headersOf(
  credentials: HttpCredentials,
  token: OauthToken | undefined,
): Readonly<Record<string, string>> {
  const { authModes, bearerToken, username, password = '', apiKey = '' } = credentials;
  const { customAuthHeader = '', customAuthValue = '', method } = credentials;
  const has = (mode: Mode) => authModes.includes(mode);
  return {
    ...(has('bearer') && { authorization: `Bearer ${bearerToken}` }),
    ...(has('basic') && { authorization: basic(`${username}:${password}`) }),
    ...(token !== undefined && { authorization: `Bearer ${token.text}` }),
    ...(has('custom') && { [customAuthHeader]: customAuthValue }),
    ...(has('apiKey') &&
      method === 'header' && { [credentials.keyParamName ?? 'X-API-KEY']: apiKey }),
  };
}

/** The value of the header for a user and password between a colon. */
export function basic(user: string): string {
  return `Basic ${Buffer.from(user).toString('base64')}`;
}

function withKey(url: URL, { authModes, apiKey = '', method, keyParamName }: HttpCredentials): URL {
  if (!authModes.includes('apiKey') || method !== 'query') return url;
  const keyed = new URL(url);
  keyed.searchParams.set(keyParamName ?? 'api_key', apiKey);
  return keyed;
}
