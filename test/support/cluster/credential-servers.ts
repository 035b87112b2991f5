/** Servers on loopback that are shown credentials. */
import type { IncomingMessage } from 'node:http';
import { serve, type WebServer } from '../scaler/web-server.ts';

/** A server of tokens that knows nobody, and says again what it hears. */
export function serveEcho(): Promise<WebServer> {
  return serve(async (request, response) => {
    const error_description = `${request.headers.authorization} ${await textOf(request)}`;
    response.setHeader('content-type', 'application/json');
    response.writeHead(401).end(JSON.stringify({ error: 'invalid_client', error_description }));
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
        const isPrometheus = request.url?.includes('/api/v1/query');
        response.end(JSON.stringify(isPrometheus ? vectorOf(value) : [{ length: value }]));
        return;
      }
      response.writeHead(401).end(JSON.stringify({ error: `no: ${authorization}` }));
    });
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  /** The trigger that reads a path with what its authentication gives; metrics-api knows no OAuth 2, Prometheus does. */
  trigger(path: string, authMode = 'bearer') {
    const url = `${this.#server?.url}/${path}`;
    if (authMode === 'oauth') {
      const metadata = { serverAddress: url, authModes: authMode, query: 'up', threshold: '5' };
      return { type: 'prometheus', metadata };
    }
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

/** What the API of Prometheus says of a query with one result. */
function vectorOf(value: number): object {
  const result = [{ metric: {}, value: [0, String(value)] }];
  return { status: 'success', data: { resultType: 'vector', result } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
