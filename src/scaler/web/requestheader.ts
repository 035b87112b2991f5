/** How the API server makes itself and its users known to servers behind it (ConfigMap extension-apiserver-authentication). */
import type { IncomingMessage } from 'node:http';

/** Where the settings are found. */
export const AUTHENTICATION_CONFIG = {
  namespace: 'kube-system',
  name: 'extension-apiserver-authentication',
} as const;

export interface AuthenticationSettings {
  /** The authority of clients that speak for themselves; empty where there is none. */
  readonly clientCa: string;
  /** Absent where requests of a front proxy are not to be believed. */
  readonly frontProxy: FrontProxy | undefined;
}

/** Who may say on whose behalf a request is made, and in which headers (lower case). */
export interface FrontProxy {
  readonly ca: string;
  /** Common names; none: any certificate of the authority. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** Who makes a request. */
export interface Identity {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
  /** The front proxy has already asked whether its user may make this request. */
  readonly isFromFrontProxy: boolean;
}

/**
 * Settings out of the ConfigMap's data.
 * @throws SyntaxError where a list in it is no JSON.
 */
export function parseAuthenticationSettings(
  data: Readonly<Record<string, string>>,
): AuthenticationSettings {
  const clientCa = data['client-ca-file'] ?? '';
  const ca = data['requestheader-client-ca-file'];
  const usernameHeaders = parseHeaders(data, 'requestheader-username-headers');
  if (!ca || usernameHeaders.length === 0) return { clientCa, frontProxy: undefined };
  return {
    clientCa,
    frontProxy: {
      ca,
      allowedNames: parseList(data, 'requestheader-allowed-names'),
      usernameHeaders,
      groupHeaders: parseHeaders(data, 'requestheader-group-headers'),
      uidHeaders: parseHeaders(data, 'requestheader-uid-headers'),
      extraPrefixes: parseHeaders(data, 'requestheader-extra-headers-prefix'),
    },
  };
}

/** Whom the front proxy names, or undefined where it names nobody. */
export function readIdentity(
  headers: IncomingMessage['headersDistinct'],
  { usernameHeaders, groupHeaders, uidHeaders, extraPrefixes }: FrontProxy,
): Identity | undefined {
  const username = firstValue(headers, usernameHeaders);
  if (username === undefined) return undefined;
  const extra: Record<string, readonly string[]> = {};
  for (const [name, values = []] of Object.entries(headers)) {
    const prefix = extraPrefixes.find((each) => name.startsWith(each));
    if (prefix !== undefined) extra[unescapeKey(name.slice(prefix.length))] = values;
  }
  return {
    username,
    uid: firstValue(headers, uidHeaders),
    groups: groupHeaders.flatMap((name) => headers[name] ?? []),
    extra,
    isFromFrontProxy: true,
  };
}

function firstValue(
  headers: IncomingMessage['headersDistinct'],
  names: readonly string[],
): string | undefined {
  return names
    .map((name) => headers[name]?.[0])
    .find((value) => value !== undefined && value !== '');
}

/** Keys that header names cannot carry are percent-encoded. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function parseHeaders(data: Readonly<Record<string, string>>, key: string): readonly string[] {
  return parseList(data, key).map((name) => name.toLowerCase());
}

function parseList(data: Readonly<Record<string, string>>, key: string): readonly string[] {
  const value: unknown = JSON.parse(data[key] || '[]');
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
