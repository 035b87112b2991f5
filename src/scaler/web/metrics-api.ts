/** The server of external.metrics.k8s.io: what the HPA controller asks, through the API server's aggregation layer. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../kubernetes/clock.ts';
import type { TlsCredentials } from '../certificates/material.ts';
import type { Changing } from '../changing.ts';
import { JSON_TYPE } from './accept.ts';
import type { Attributes } from './access.ts';
import type { Authenticate } from './authenticate.ts';
import type { Authorize } from './authorize.ts';
import { AGGREGATED_DISCOVERY, API_GROUP_LIST, DOCUMENTS } from './discovery.ts';
import type { Health } from './health.ts';
import {
  checkValues,
  GROUP,
  GROUP_VERSION,
  type MetricValue,
  readScaledObjectName,
  renderMetricValues,
  VERSION,
} from './metric-query.ts';
import {
  abortWhenLeft,
  requireType,
  sendDocument,
  sendError,
  sendJson,
  sendRefusal,
} from './replies.ts';
import type { AuthenticationSettings } from './requestheader.ts';
import {
  addHealthRoutes,
  exchangeCertificates,
  type ListenAddress,
  listen,
  makeTlsServer,
  type RunningServer,
  type ServingTls,
  type TlsFloor,
} from './server.ts';
import { notFound, timedOut } from './status.ts';

/**
 * The values of a metric of a ScaledObject; several are added up by the HPA. Rejects where there is none, with a
 * StatusError where a code other than 500 says it better.
 */
export type AnswerMetric = (
  namespace: string,
  metric: string,
  scaledObject: string,
  signal: AbortSignal,
) => Promise<readonly MetricValue[]>;

export interface MetricsApiOptions {
  readonly answer: AnswerMetric;
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  readonly settings: Changing<AuthenticationSettings>;
  readonly credentials: Changing<TlsCredentials>;
  readonly health: Health;
  /** The label whose value names the ScaledObject. */
  readonly scaledObjectLabel: string;
  /** The version of this program. */
  readonly version: string;
  readonly clock: Clock;
  readonly floor?: TlsFloor | undefined;
  /** How long an answer may take. Default: 10 s. */
  readonly timeoutMs?: number;
  /** Called with every request for a metric that was answered. */
  readonly onAnswer?: (code: number, seconds: number) => void;
}

interface MetricRoute {
  Params: { readonly namespace: string; readonly metric: string };
  Querystring: { readonly labelSelector?: string | string[] };
}

const TIMEOUT_MS = 10_000;

/** Starts to serve over TLS. Certificates and authorities are exchanged as they change. */
export async function startMetricsApi(
  options: MetricsApiOptions,
  address: ListenAddress,
): Promise<RunningServer> {
  const { credentials, settings } = options;
  const app = makeTlsServer(readTls(options), 'asked', sendError);
  addHealthRoutes(app, options.health);
  addDiscoveryRoutes(app, options);
  addMetricRoute(app, options);
  const running = await listen(app, address);

  const exchange = () => exchangeCertificates(app, readTls(options));
  const endings = [credentials.onChange(exchange), settings.onChange(exchange)];
  return {
    port: running.port,
    async close() {
      for (const end of endings) end();
      await running.close();
    },
  };
}

function readTls({ credentials, settings, floor }: MetricsApiOptions): ServingTls {
  const { cert, key } = credentials.value;
  const { clientCa, frontProxy } = settings.value;
  return { ...floor, cert, key, ca: [clientCa, frontProxy?.ca ?? ''].filter((pem) => pem !== '') };
}

function addDiscoveryRoutes(app: FastifyInstance, options: MetricsApiOptions): void {
  const documents = { ...DOCUMENTS, '/version': describeVersion(options.version) };
  for (const [path, document] of Object.entries(documents)) {
    app.get(path, async (request, reply) => {
      await admit(request, pathAttributes(request), options);
      return sendDocument(request, reply, requireType(request, [JSON_TYPE]), document);
    });
  }
  app.get('/apis', async (request, reply) => {
    await admit(request, pathAttributes(request), options);
    const offers = [JSON_TYPE, ...AGGREGATED_DISCOVERY.map(({ mediaType }) => mediaType)];
    const type = requireType(request, offers);
    const aggregated = AGGREGATED_DISCOVERY.find(({ mediaType }) => mediaType === type);
    return sendDocument(request, reply, type, aggregated?.document ?? API_GROUP_LIST);
  });
  app.setNotFoundHandler(async (request, reply) => {
    await admit(request, pathAttributes(request), options);
    return sendRefusal(request, reply);
  });
}

function addMetricRoute(app: FastifyInstance, options: MetricsApiOptions): void {
  const path = `/apis/${GROUP_VERSION}/namespaces/:namespace/:metric`;
  app.get<MetricRoute>(path, async (request, reply) => {
    const { namespace, metric } = request.params;
    await admit(request, metricAttributes(namespace, metric), options);
    requireType(request, [JSON_TYPE]);
    return sendMetric(request, reply, options);
  });
  app.addHook('onResponse', async ({ routeOptions }, { statusCode, elapsedTime }) => {
    if (routeOptions.url === path) options.onAnswer?.(statusCode, elapsedTime / 1000);
  });
}

async function sendMetric(
  request: FastifyRequest<MetricRoute>,
  reply: FastifyReply,
  { answer, scaledObjectLabel, timeoutMs = TIMEOUT_MS, clock }: MetricsApiOptions,
): Promise<FastifyReply> {
  const { namespace, metric } = request.params;
  const selector = [request.query.labelSelector ?? ''].flat().join(',');
  const scaledObject = readScaledObjectName(selector, scaledObjectLabel);
  const asking = abortWhenLeft(reply);
  const values = await within(
    timeoutMs,
    `metric ${metric} of ${namespace}/${scaledObject} was not read within ${timeoutMs} ms`,
    asking,
    () => answer(namespace, metric, scaledObject, asking.signal),
  );
  if (values.length === 0) throw notFound(`no matching metrics found for ${metric}`);
  checkValues(values);
  return sendJson(reply, renderMetricValues(values, new Date(clock.wallMs())));
}

/** What `ask` gives, or a StatusError when time is up, whether or not `ask` looks at the signal that aborts then. */
async function within<T>(
  ms: number,
  message: string,
  asking: AbortController,
  ask: () => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(timedOut(message));
      asking.abort();
    }, ms);
    ask()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

/** Lets the request pass, or rejects with 401, 403 or 503. */
async function admit(
  request: FastifyRequest,
  attributes: Attributes,
  { authenticate, authorize }: MetricsApiOptions,
): Promise<void> {
  await authorize(await authenticate(request.raw), attributes);
}

function pathAttributes({ url, method }: FastifyRequest): Attributes {
  const [path = '/'] = url.split('?');
  return { kind: 'path', path, verb: method === 'HEAD' ? 'get' : method.toLowerCase() };
}

/** The verb is that of the API server's own check: a GET of a collection lists. */
function metricAttributes(namespace: string, resource: string): Attributes {
  return { kind: 'resource', namespace, verb: 'list', group: GROUP, version: VERSION, resource };
}

function describeVersion(gitVersion: string): object {
  const [major = '', minor = ''] = gitVersion.split('.');
  return { major, minor, gitVersion, platform: `${process.platform}/${process.arch}` };
}
