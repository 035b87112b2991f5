/** The kubeconfig of a service account that does not run in a pod: one cluster, one user with a token that ends. Pure. */
import { parse, stringify } from 'yaml';

/** Which API server, and by what it is known. */
export interface Endpoint {
  readonly server: string;
  /** PEM; undefined where the authorities of the machine count. */
  readonly ca: string | undefined;
  /** The name that the server's certificate has, where it is not that of the URL. */
  readonly serverName: string | undefined;
  readonly proxy: string | undefined;
}

export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** What such a file says. */
export interface KeptKubeconfig {
  readonly endpoint: Endpoint;
  readonly token: string;
}

/** What a token says of itself. */
interface Claims {
  /** `system:serviceaccount:<namespace>:<name>`. */
  readonly sub?: unknown;
  /** Seconds since the epoch. */
  readonly iat?: unknown;
  readonly exp?: unknown;
}

export type Verdict =
  /** Nothing is to be done for now. */
  | { readonly action: 'keep'; readonly until: Date }
  /** It works and ends before long: by its own token it may have another. */
  | { readonly action: 'renew'; readonly reason: string }
  /** It is of no use. */
  | { readonly action: 'make'; readonly reason: string };

/** Part of a token's life after which it is renewed. */
const LIFE_SHARE = 1 / 3;

/** What becomes of a file. @param endpoint Where the cluster is said to be now; undefined where nobody says. */
export function judgeKubeconfig(
  text: string | undefined,
  account: Account,
  endpoint: Endpoint | undefined,
  nowMs: number,
): Verdict {
  if (text === undefined) return make('there is none yet');
  const kept = parseKubeconfig(text);
  const claims = kept && claimsOf(kept.token);
  if (kept === undefined || claims === undefined) return make('it is none of this program');
  if (claims.sub !== userOf(account)) return make(`it is for ${claims.sub}`);
  if (endpoint !== undefined && !isSame(kept.endpoint, endpoint)) {
    return make(`it leads to ${kept.endpoint.server} or trusts other authorities than it should`);
  }
  const [startMs, endMs] = [Number(claims.iat) * 1000, Number(claims.exp) * 1000];
  if (!(endMs > nowMs)) return make(`its token ended ${timeText(endMs)}`);
  const dueMs = startMs + (endMs - startMs) * LIFE_SHARE;
  if (nowMs < dueMs) return { action: 'keep', until: new Date(dueMs) };
  return { action: 'renew', reason: `its token ends ${timeText(endMs)}` };
}

/** The file as YAML. */
export function renderKubeconfig({ endpoint, token }: KeptKubeconfig, account: Account): string {
  const { server, ca, serverName, proxy } = endpoint;
  const user = `${account.namespace}/${account.name}`;
  const cluster = {
    server,
    ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(serverName !== undefined && { 'tls-server-name': serverName }),
    ...(proxy !== undefined && { 'proxy-url': proxy }),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster }],
    users: [{ name: user, user: { token } }],
    contexts: [
      { name: 'cluster', context: { cluster: 'cluster', user, namespace: account.namespace } },
    ],
    'current-context': 'cluster',
  };
  return stringify(config, { lineWidth: 0 });
}

/** Undefined where the text is not what `renderKubeconfig` writes. */
function parseKubeconfig(text: string): KeptKubeconfig | undefined {
  const config = parsed(text) as Partial<RenderedConfig> | null | undefined;
  const [cluster, token] = [config?.clusters?.[0]?.cluster, config?.users?.[0]?.user?.token];
  const server = cluster?.['server'];
  if (cluster === undefined || server === undefined || token === undefined) return undefined;
  const ca = cluster['certificate-authority-data'];
  const endpoint = {
    server,
    ca: ca === undefined ? undefined : Buffer.from(ca, 'base64').toString(),
    serverName: cluster['tls-server-name'],
    proxy: cluster['proxy-url'],
  };
  return { endpoint, token };
}

interface RenderedConfig {
  readonly clusters: readonly { readonly cluster?: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user?: { readonly token?: string } }[];
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The middle part of a JSON Web Token; undefined where it is none that ends. */
function claimsOf(token: string): Claims | undefined {
  const claims = parsed(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  if (typeof claims !== 'object' || claims === null) return undefined;
  const { exp, iat } = claims as Claims;
  return typeof exp === 'number' && typeof iat === 'number' ? (claims as Claims) : undefined;
}

function userOf({ namespace, name }: Account): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

function isSame(a: Endpoint, b: Endpoint): boolean {
  return (
    a.server === b.server && a.ca === b.ca && a.serverName === b.serverName && a.proxy === b.proxy
  );
}

function make(reason: string): Verdict {
  return { action: 'make', reason };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
