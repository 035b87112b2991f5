/** An API server and the way to be known there, from the entries of a kubeconfig or what stands for them. */
import type { Cluster } from '@kubernetes/client-node/dist/config_types.js';
import { InvalidInput } from '../shared/errors.ts';
import {
  basicIdentity,
  certificateIdentity,
  fixedIdentity,
  joinIdentities,
  tokenIdentity,
} from './authenticators.ts';
import type { Clock } from './clock.ts';
import {
  AgingText,
  type Authenticator,
  type ClusterAccess,
  CredentialSource,
  type Tls,
} from './credentials.ts';
import type { NamedUser } from './kubeconfig-file.ts';
import { execIdentity, oidcIdentity } from './plugins.ts';

/** Reads a file that a kubeconfig names. */
export type ReadText = (file: string) => Promise<string>;

export interface AccessParts {
  readonly cluster: Cluster;
  /** Without one the server sees an anonymous user. */
  readonly user: NamedUser | undefined;
  readonly namespace: string | undefined;
  /** How messages name where the entries are from. */
  readonly origin: string;
  readonly clock: Clock;
  readonly readText: ReadText;
}

/**
 * The access that these entries describe. Files are read when they are first needed.
 * @throws {InvalidInput} where the server is no URL, or the user has a way to log in that is no more.
 */
export function accessTo(parts: AccessParts): ClusterAccess {
  const { cluster, user, namespace } = parts;
  const source = new CredentialSource(
    fixedTls(cluster),
    textOf(cluster.caData, cluster.caFile, parts),
    user === undefined ? fixedIdentity({ headers: {} }) : authenticatorOf(user, parts),
  );
  return {
    server: parseServer(parts),
    namespace,
    proxy: cluster.proxyUrl ? new URL(cluster.proxyUrl) : undefined,
    credentials: () => source.credentials(),
    refuse: () => source.refuse(),
  };
}

function parseServer({ cluster: { name, server }, origin }: AccessParts): URL {
  if (URL.canParse(server) && /^https?:/.test(server)) return new URL(server);
  throw InvalidInput.at(
    undefined,
    `kubeconfig ${origin}: the server "${server}" of cluster "${name}" is no URL`,
    'write it as https://host:port',
  );
}

function fixedTls({ tlsServerName, skipTLSVerify }: Cluster): Tls {
  return {
    ...(tlsServerName && { servername: tlsServerName }),
    ...(skipTLSVerify && { rejectUnauthorized: false }),
  };
}

function authenticatorOf(user: NamedUser, parts: AccessParts): Authenticator {
  const { cluster, clock, origin } = parts;
  const provider: unknown = user.authProvider?.name;
  if (provider === 'oidc') return oidcIdentity(user);
  if (provider !== undefined) {
    throw InvalidInput.at(
      undefined,
      `kubeconfig ${origin}: user "${user.name}" has the auth-provider "${provider}", which Kubernetes no longer has`,
      'use the exec plugin of your provider',
    );
  }
  const identities: Authenticator[] = [];
  const cert = textOf(user.certData, user.certFile, parts);
  const key = textOf(user.keyData, user.keyFile, parts);
  if (cert !== undefined && key !== undefined) identities.push(certificateIdentity(cert, key));
  if (user.tokenFile) identities.push(tokenIdentity(aging(user.tokenFile, parts)));
  else if (user.token) identities.push(fixedIdentity(bearer(user.token)));
  else if (user.username) identities.push(basicIdentity(user.username, user.password ?? ''));
  if (user.exec) identities.push(execIdentity(user, cluster, clock));
  if (user.impersonateUser || user.impersonateGroups) identities.push(impersonation(user));
  return joinIdentities(identities);
}

function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token.trim()}` } };
}

function impersonation({ impersonateUser, impersonateGroups }: NamedUser): Authenticator {
  return fixedIdentity({
    headers: {
      ...(impersonateUser && { 'impersonate-user': impersonateUser }),
      ...(impersonateGroups && { 'impersonate-group': impersonateGroups }),
    },
  });
}

/** A text of a kubeconfig: written into it as Base64, which wins, or in a file. */
function textOf(
  data: string | undefined,
  file: string | undefined,
  parts: AccessParts,
): AgingText | undefined {
  if (data) return new AgingText(async () => Buffer.from(data, 'base64').toString(), parts.clock);
  return file ? aging(file, parts) : undefined;
}

function aging(file: string, { clock, readText }: AccessParts): AgingText {
  return new AgingText(() => readText(file), clock);
}
