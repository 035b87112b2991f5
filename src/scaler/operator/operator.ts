/** The composition root of the scaler: connects to the cluster and runs the roles that it was started with. */
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import { ApiClient } from '../../kubernetes/api-client.ts';
import { systemClock } from '../../kubernetes/clock.ts';
import { Discovery } from '../../kubernetes/discovery.ts';
import { readAccess } from '../../kubernetes/kubeconfig.ts';
import { VaultClient } from '../authentication/vault.ts';
import { EventRecorder } from '../cluster/event-recorder.ts';
import { answerMetric, NoSuchMetric } from '../controller/answer.ts';
import type { ControllerDependencies } from '../controller/dependencies.ts';
import { GaugeSets } from '../controller/gauge-sets.ts';
import type { TriggerDependencies } from '../controller/open-trigger.ts';
import { createHttp, type HttpClient, httpSettings } from '../http.ts';
import { type TlsPolicy, tlsOptions } from '../tls.ts';
import type { AnyTrigger } from '../trigger.ts';
import type { AnswerMetric } from '../web/metrics-api.ts';
import { startObservability } from '../web/observability.ts';
import { ScalerMetrics } from '../web/scaler-metrics.ts';
import type { RunningServer } from '../web/server.ts';
import { notFound } from '../web/status.ts';
import { type Caches, makeCaches } from './caches.ts';
import { type Controllers, makeControllers } from './controllers.ts';
import { watchCredentials } from './credentials-watch.ts';
import { makeKubeCluster } from './kube-cluster.ts';
import { Leadership } from './leadership.ts';
import { makeRecorder, meteredRequest, takeInventory } from './measure.ts';
import { notify } from './notices.ts';
import { startServing } from './serve-metrics.ts';
import type { OperatorSettings } from './settings.ts';

/** The parts of a running process. */
interface Parts {
  readonly settings: OperatorSettings;
  readonly client: ApiClient;
  readonly apiServer: URL;
  readonly caches: Caches;
  readonly events: EventRecorder;
  readonly metrics: ScalerMetrics;
  readonly controllers: Controllers;
  readonly leadership: Leadership;
  readonly answer: AnswerMetric;
  readonly log: Logger;
}

interface Connections {
  readonly client: ApiClient;
  readonly apiServer: URL;
  readonly http: HttpClient;
  readonly tls: TlsPolicy;
  readonly log: Logger;
}

const EVENTS_GRACE_MS = 3000;

/**
 * Runs until the signal aborts, and ends in order: no new work, what goes on is finished, the lease given back.
 * @throws {InvalidInput} where the settings lead to no cluster; {Error} where a port cannot be had.
 */
export async function runOperator(
  settings: OperatorSettings,
  triggers: Readonly<Record<string, AnyTrigger>>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { requests, names, version, authorityFolders } = settings;
  const access = await readAccess(settings.access);
  const client = new ApiClient({ access, userAgent: `${names.manager}/${version}`, ...requests });
  const sources = httpSettings(process.env, authorityFolders);
  const http = createHttp(sources);
  const { server: apiServer } = access;
  // Half an operator, the rest of which could not start, would live on and never be started again.
  const failing = new AbortController();
  try {
    const parts = assemble(settings, triggers, { client, apiServer, http, tls: sources.tls, log });
    await run(parts, AbortSignal.any([signal, failing.signal]));
    await parts.events.close(EVENTS_GRACE_MS);
  } finally {
    failing.abort();
    await http.close();
    await client.close();
  }
}

function assemble(
  settings: OperatorSettings,
  triggers: Readonly<Record<string, AnyTrigger>>,
  { client, apiServer, http, tls, log }: Connections,
): Parts {
  const { names, version, watchedNamespaces: namespaces, labelSelector, tokenSeconds } = settings;
  const onProblem = problemLogger(log);
  const caches = makeCaches({ client, names, namespaces, labelSelector, onProblem });
  const reporting = {
    reportingController: names.manager,
    reportingInstance: settings.election?.identity ?? names.manager,
  };
  const metrics = new ScalerMetrics({ prefix: names.metricPrefix, version, commit: '' });
  const events = new EventRecorder({ client, ...reporting, onProblem });
  const nowMs = () => Date.now();
  const discovery = new Discovery(client);
  const leadership = new Leadership(settings, client, { log, onProblem });
  const leader = client.guarded(leadership.require);
  const kube = { client, leader, caches, discovery, events, names, http, tokenSeconds, nowMs };
  const cluster = makeKubeCluster(kube);
  const opening: TriggerDependencies = {
    triggers,
    cluster,
    settings: settings.credentials,
    vault: new VaultClient(cluster, settings.credentials),
    http,
    tls: (material) => tlsOptions(tls, material),
    now: () => new Date(),
    notify: (place, message) => notify(place, message, cluster, names),
    onRequest: (request) => metrics.recordRequest(meteredRequest(request)),
  };
  const dependencies: ControllerDependencies = {
    cluster,
    gauges: new GaugeSets(opening),
    triggers,
    names,
    recorder: makeRecorder(metrics, names),
    version,
    nowMs,
    steadyMs: systemClock.monotonicMs,
  };
  const controllers = makeControllers(dependencies, caches, log);
  const answer = answering(dependencies, controllers);
  const running = { client, apiServer, caches, events, metrics, controllers, leadership };
  return { settings, answer, log, ...running };
}

function answering(
  dependencies: ControllerDependencies,
  { scaledObjects }: Controllers,
): AnswerMetric {
  return async (namespace, metric, name, signal) => {
    try {
      const key = `${namespace}/${name}`;
      return [await answerMetric(key, metric, dependencies, scaledObjects, signal)];
    } catch (error) {
      if (error instanceof NoSuchMetric) throw notFound(error.message);
      throw error;
    }
  };
}

async function run(parts: Parts, signal: AbortSignal): Promise<void> {
  const { settings, caches, metrics, log } = parts;
  setMaxListeners(0, signal); // Each watch has a listener of its own.
  metrics.setInventory(() => takeInventory(caches));
  const isOperator = settings.roles.has('operator');
  const caching = () => (areSynced(caches) ? undefined : 'the caches are not filled yet');
  let isServing = false;
  const starting = () => (isServing ? undefined : 'values are not served yet');
  const filled = isOperator ? [{ name: 'caches', check: caching }] : [];
  const health = { live: [], ready: [...filled, { name: 'servers', check: starting }] };
  const observability = await startObservability({ metrics, health }, settings.observability);
  log.info({ port: observability.port }, 'Metrics and probes are served');
  const work = isOperator
    ? [
        ...Object.values(caches).map((cache) => cache.start(signal)),
        watchCredentialsOf(parts, signal),
        lead(parts, signal),
      ]
    : [];
  const unavailable = () => caching() ?? parts.leadership.whyNot();
  const serving = { ...parts, health, unavailable, onProblem: problemLogger(log) };
  const servers: Pick<RunningServer, 'close'>[] = [observability];
  try {
    servers.push(...(await startServing(serving, signal)));
    isServing = true;
    await Promise.all([whenAborted(signal), ...work]);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function areSynced(caches: Caches): boolean {
  return Object.values(caches).every(({ isSynced }) => isSynced);
}

function watchCredentialsOf(
  { client, caches, settings, controllers, log }: Parts,
  signal: AbortSignal,
) {
  const { secretNamespaces, clusterNamespace } = settings.credentials;
  const { watchedNamespaces } = settings;
  const watching = {
    client,
    caches,
    namespaces: watchedNamespaces,
    secretNamespaces:
      secretNamespaces ??
      (watchedNamespaces && [...new Set([...watchedNamespaces, clusterNamespace])]),
    onChange: controllers.refreshUsersOf,
    onProblem: problemLogger(log),
  };
  return watchCredentials(watching, signal);
}

/** Runs the controllers while this process leads. */
async function lead(
  { caches, controllers, leadership }: Parts,
  signal: AbortSignal,
): Promise<void> {
  await Promise.race([
    Promise.all(Object.values(caches).map((cache) => cache.whenSynced())),
    whenAborted(signal),
  ]);
  await leadership.run((leading) => controllers.run(leading), signal);
}

function problemLogger(log: Logger): (error: unknown) => void {
  return (error) =>
    log.warn(
      { error: error instanceof Error ? error.message : String(error) },
      'A request was interrupted',
    );
}
