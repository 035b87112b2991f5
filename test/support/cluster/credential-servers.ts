/**
 * Servers on loopback that credentials come from, and one that asks for them. Vault's answers are replayed as its HTTP API
 * documents them (https://developer.hashicorp.com/vault/api-docs); the server of tokens follows RFC 6749, 4.4.
 */
import type { IncomingMessage } from 'node:http';
import { serve, type WebServer } from '../scaler/web-server.ts';

/** What a Vault keeps. */
export interface VaultContent {
  /** Its answers, by method and path below `/v1/`. */
  readonly answers: Readonly<Record<string, object>>;
  /** The token that may read. */
  readonly token: string;
  /** Whether a JWT may log in with a role. */
  readonly mayLogIn: (jwt: string, role: string) => Promise<boolean>;
}

/** A Vault with the login `auth/kubernetes`. */
export function serveVault({ answers, token, mayLogIn }: VaultContent): Promise<WebServer> {
  return serve(async (request, response) => {
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const refuse = () => reply(403, { errors: ['permission denied'] });
    const path = (request.url ?? '').replace('/v1/', '');
    const body = await textOf(request);
    if (path === 'auth/kubernetes/login') {
      const { jwt, role } = JSON.parse(body) as { jwt: string; role: string };
      if (!(await mayLogIn(jwt, role))) return refuse();
      return reply(200, vaultLogin(token));
    }
    if (request.headers['x-vault-token'] !== token) return refuse();
    const found = answers[`${request.method} ${path}`];
    return found === undefined ? reply(404, { errors: [] }) : reply(200, found);
  });
}

/** The answer of Vault to a login. */
export function vaultLogin(token: string, leaseSeconds = 3600): object {
  return {
    ...ENVELOPE,
    data: null,
    auth: {
      client_token: token,
      accessor: 'afa306d0-be3d-c8d2-b0d7-2676e1c0d9b4',
      policies: ['default'],
      metadata: { role: 'scaler' },
      lease_duration: leaseSeconds,
      renewable: true,
    },
  };
}

/** The answer of Vault to a read of the first key-value engine, or to a certificate of `pki`. */
export function vaultData(data: object, leaseSeconds = 2_764_800): object {
  return { ...ENVELOPE, data, lease_duration: leaseSeconds };
}

/** The answer of Vault to a read of the second key-value engine. */
export function vaultVersion(data: object): object {
  const metadata = {
    created_time: '2018-03-22T02:24:06.945319214Z',
    custom_metadata: null,
    deletion_time: '',
    destroyed: false,
    version: 2,
  };
  return vaultData({ data, metadata }, 0);
}

const ENVELOPE = {
  request_id: '0f2b3a3c-6c1a-4b6f-9d3f-6d0a3f0c1b2a',
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  wrap_info: null,
  warnings: null,
  auth: null,
};

/** Gives a token to a client that shows its secret; others hear their own words again. */
export function serveTokens(client: string, secret: string, token: string): Promise<WebServer> {
  const basic = `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}`;
  return serve(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.headers.authorization !== basic) {
      const error_description = `${request.headers.authorization} ${await textOf(request)}`;
      response.writeHead(401).end(JSON.stringify({ error: 'invalid_client', error_description }));
      return;
    }
    response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 }));
  });
}

/** Answers with a number whoever shows the bearer token of a path; others hear their own words again. */
export class GuardedNumber {
  /** Who may read a path. */
  readonly gates = new Map<string, (token: string) => boolean | Promise<boolean>>();
  /** The tokens that each path was shown, the newest last. */
  readonly shown = new Map<string, string[]>();
  #server: WebServer | undefined;

  async start(value: number): Promise<void> {
    this.#server = await serve(async (request, response) => {
      const { authorization = '' } = request.headers;
      const [, path = ''] = (request.url ?? '/').split('/');
      const [, token = ''] = /^Bearer (.*)$/.exec(authorization) ?? [];
      this.shown.set(path, [...(this.shown.get(path) ?? []), token]);
      if ((await this.gates.get(path)?.(token)) === true) {
        response.end(JSON.stringify([{ length: value }]));
        return;
      }
      response.writeHead(401).end(JSON.stringify({ error: `no: ${authorization}` }));
    });
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  /** The trigger that reads a path with what its authentication gives. */
  trigger(path: string, authMode = 'bearer') {
    const url = `${this.#server?.url}/${path}`;
    const target = { valueLocation: '0.length', targetValue: '5' };
    return { type: 'metrics-api', metadata: { url, authMode, ...target } };
  }

  /** The same with a token out of the environment of the target: an API of version 3 of InfluxDB. */
  variableTrigger(path: string, authTokenFromEnv: string) {
    const serverURL = `${this.#server?.url}/${path}`;
    const query = { influxVersion: '3', queryType: 'FlightSQL', database: 'db', query: 'SELECT 1' };
    const target = { metricKey: 'length', thresholdValue: '5' };
    return { type: 'influxdb', metadata: { serverURL, authTokenFromEnv, ...query, ...target } };
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
