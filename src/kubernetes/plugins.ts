import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import type { Clock } from './clock.ts';
import type { Authenticator, Identity } from './credentials.ts';

/** What the plugin is asked again for, before what it gave expires. */
const MARGIN_MS = 10_000;

interface Answer {
  readonly identity: Identity;
  /** Absent: until the server refuses it. */
  readonly expiresAtMs: number | undefined;
}

/** Asks a credential plugin (client.authentication.k8s.io), and again when what it gave expires or is refused. */
export function execIdentity(user: User, cluster: Cluster, clock: Clock): Authenticator {
  let answer: Promise<Answer> | undefined;
  const isFresh = ({ expiresAtMs }: Answer) =>
    expiresAtMs === undefined || clock.wallMs() < expiresAtMs - MARGIN_MS;
  const ask = () => {
    const asked = runPlugin(withCluster(user, cluster));
    answer = asked;
    asked.catch(() => {
      if (answer === asked) answer = undefined;
    });
    return asked;
  };
  return {
    async authenticate() {
      const current = await (answer ?? ask());
      return isFresh(current) ? current.identity : (await ask()).identity;
    },
    refuse() {
      answer = undefined;
    },
  };
}

async function runPlugin(user: User): Promise<Answer> {
  // One for each call: it keeps what a plugin gave even where the server has refused it.
  const plugin = new ExecAuth();
  const options: { headers: Record<string, string>; cert?: string; key?: string } = { headers: {} };
  await plugin.applyAuthentication(user, options).catch((cause) => {
    const { command, installHint = '' } = user.exec;
    const problem = cause.code === 'ENOENT' ? 'is not installed' : `failed: ${cause.message}`;
    throw new Error(`the credential plugin ${command} ${problem.trim()} ${installHint}`.trim(), {
      cause,
    });
  });
  const expiry = Date.parse(plugin['tokenCache'][user.name]?.status?.expirationTimestamp ?? '');
  const { Authorization: authorization } = options.headers;
  return {
    identity: {
      headers: authorization === undefined ? {} : { authorization },
      cert: options.cert,
      key: options.key,
    },
    expiresAtMs: Number.isNaN(expiry) ? undefined : expiry,
  };
}

/** Tells the plugin what it is asked for, as the protocol wants; client-node does not. */
function withCluster(user: User, cluster: Cluster): User {
  const { apiVersion, provideClusterInfo, env } = user.exec;
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo && { cluster: describe(cluster) }) },
  };
  const own = { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) };
  return { ...user, exec: { ...user.exec, env: [...(env ?? []), own] } };
}

function describe({ server, tlsServerName, skipTLSVerify, caData }: Cluster) {
  return {
    server,
    'tls-server-name': tlsServerName,
    'insecure-skip-tls-verify': skipTLSVerify || undefined,
    'certificate-authority-data': caData,
  };
}

/** The identity tokens of an OpenID Connect provider, renewed with their refresh token. */
export function oidcIdentity(user: User): Authenticator {
  return {
    async authenticate() {
      // Loaded when first used: few kubeconfigs have one.
      const { OpenIDConnectAuth } = await import('@kubernetes/client-node/dist/oidc_auth.js');
      const options = { headers: {} as Record<string, string> };
      await new OpenIDConnectAuth().applyAuthentication(user, options);
      const { Authorization: authorization } = options.headers;
      return { headers: authorization === undefined ? {} : { authorization } };
    },
    refuse: () => undefined,
  };
}
