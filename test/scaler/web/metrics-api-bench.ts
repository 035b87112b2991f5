/** A metrics API on loopback with authorities, clients and an API server that answers from a table. */
import { request as httpsRequest } from 'node:https';
import { type Clock, systemClock } from '../../../src/kubernetes/clock.ts';
import type { TlsCredentials } from '../../../src/scaler/certificates/material.ts';
import { Changing } from '../../../src/scaler/changing.ts';
import type { AccessReviews, Attributes } from '../../../src/scaler/web/access.ts';
import { makeAuthenticate } from '../../../src/scaler/web/authenticate.ts';
import { makeAuthorize } from '../../../src/scaler/web/authorize.ts';
import { type MetricsApiOptions, startMetricsApi } from '../../../src/scaler/web/metrics-api.ts';
import {
  type AuthenticationSettings,
  type Identity,
  parseAuthenticationSettings,
} from '../../../src/scaler/web/requestheader.ts';
import {
  issueTestCertificate,
  makeTestAuthority,
  type TestAuthority,
} from '../../support/certificates.ts';

export const METRIC_PATH =
  '/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/s0-cron?labelSelector=scaledobject.example%2Fname%3Dorders';
export const NOW = new Date();

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Asking {
  readonly client?: TestAuthority | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly method?: string;
}

/** The authorities and the certificates that clients show. */
export async function makeClients() {
  const [server, front, client, stranger] = await Promise.all(
    ['server', 'front', 'client', 'stranger'].map((name) => makeTestAuthority(name)),
  );
  if (!server || !front || !client || !stranger) throw new Error('no authorities');
  const proxy = { commonName: 'front-proxy-client' };
  const yesterday = new Date(Date.now() - 86_400_000);
  return {
    server,
    front,
    client,
    serving: await issueTestCertificate(server, { commonName: 'metrics' }),
    proxy: await issueTestCertificate(front, proxy),
    wrongName: await issueTestCertificate(front, { commonName: 'somebody' }),
    expired: await issueTestCertificate(front, { ...proxy, notAfter: yesterday }),
    forServers: await issueTestCertificate(front, { ...proxy, isForServersOnly: true }),
    wrongAuthority: await issueTestCertificate(stranger, proxy),
    proxyOfClientAuthority: await issueTestCertificate(client, proxy),
    admin: await issueTestCertificate(client, { commonName: 'ann', organization: 'ops' }),
  };
}

export type Clients = Awaited<ReturnType<typeof makeClients>>;

export function makeSettings({ front, client }: Clients): AuthenticationSettings {
  return parseAuthenticationSettings({
    'client-ca-file': client.cert,
    'requestheader-client-ca-file': front.cert,
    'requestheader-allowed-names': '["front-proxy-client"]',
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  });
}

export interface ApiBench {
  readonly port: number;
  /** What the API server was asked, newest last. */
  readonly reviews: { identity: Identity; attributes: Attributes }[];
  readonly tokens: string[];
  readonly settings: Changing<AuthenticationSettings>;
  readonly credentials: Changing<TlsCredentials>;
  /** Lets time pass for what is remembered. */
  elapse(ms: number): void;
  ask(path: string, asking?: Asking): Promise<Answer>;
  close(): Promise<void>;
}

export interface BenchOptions extends Partial<MetricsApiOptions> {
  /** Whether somebody may do something. Default: everything. */
  readonly allows?: (identity: Identity, attributes: Attributes) => boolean;
}

export async function startBench(
  clients: Clients,
  { allows = () => true, ...options }: BenchOptions = {},
): Promise<ApiBench> {
  const asked: ApiBench['reviews'] = [];
  const tokens: string[] = [];
  const reviews: AccessReviews = {
    async reviewToken(token) {
      tokens.push(token);
      if (token === 'broken') throw new Error('connection refused');
      if (token !== 'good') return undefined;
      return { username: 'bob', groups: ['people'], extra: {}, isFromFrontProxy: false };
    },
    async reviewAccess(identity, attributes) {
      asked.push({ identity, attributes });
      return { isAllowed: allows(identity, attributes), reason: 'no rule matches' };
    },
  };
  const settings = new Changing(makeSettings(clients));
  const credentials = new Changing<TlsCredentials>({
    ...clients.serving,
    ca: clients.server.cert,
  });
  let elapsedMs = 0;
  const clock: Clock = {
    ...systemClock,
    wallMs: () => NOW.getTime(),
    monotonicMs: () => elapsedMs,
  };
  const elapse = (ms: number) => {
    elapsedMs += ms;
  };
  const running = await startMetricsApi(
    {
      answer: async (_namespace, name) => [{ name, value: 12.5 }],
      authenticate: makeAuthenticate({ settings, reviews, clock }),
      authorize: makeAuthorize({ reviews, clock }),
      settings,
      credentials,
      health: { live: [], ready: [] },
      scaledObjectLabel: 'scaledobject.example/name',
      version: '1.2.3',
      clock,
      ...options,
    },
    { host: '127.0.0.1', port: 0 },
  );
  const { port } = running;
  const ask = (path: string, asking: Asking = {}) =>
    askOver(port, credentials.value.ca, path, asking);
  return { port, reviews: asked, tokens, settings, credentials, elapse, ask, close: running.close };
}

/** What the front proxy says of a user. */
export function asUser(username: string, ...groups: string[]): Record<string, string | string[]> {
  return { 'X-Remote-User': username, 'X-Remote-Group': groups };
}

function askOver(port: number, ca: string, path: string, asking: Asking): Promise<Answer> {
  const { client, headers = {}, method = 'GET' } = asking;
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        path,
        method,
        ca,
        agent: false,
        headers: headers as Record<string, string | string[]>,
        ...(client && { cert: client.cert, key: client.key }),
      },
      (response) => {
        response.setEncoding('utf8');
        let text = '';
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response;
          const isJson = headers['content-type']?.startsWith('application/json') && text !== '';
          resolve({ status, headers, text, json: isJson ? JSON.parse(text) : {} });
        });
      },
    );
    request.on('error', reject);
    request.end();
  });
}
