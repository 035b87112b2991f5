/** Measures one scaler with so many ScaledObjects on a control plane of its own. */
import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../src/kubernetes/api-client.ts';
import { readAccess } from '../src/kubernetes/kubeconfig.ts';
import { ControlPlane } from '../test/support/cluster/control-plane.ts';
import { workload } from '../test/support/cluster/manifests.ts';
import { QueueServer } from '../test/support/cluster/queue-server.ts';

/** A scaler that can be measured. */
export interface Contender {
  readonly name: string;
  readonly group: string;
  /** Why it cannot run here. */
  readonly whyMissing: () => Promise<string | undefined>;
  /** Installs and starts it. */
  readonly start: (plane: ControlPlane) => Promise<Running>;
}

export interface Running {
  /** Of every process that belongs to it. */
  readonly pids: readonly number[];
  readonly stop: () => Promise<void>;
}

export interface ScalerFigures {
  readonly contender: string;
  readonly count: number;
  /** Undefined where the limit came first. */
  readonly hpasAfterMs: number | undefined;
  readonly hpas: number;
  readonly memoryMib: number;
  readonly cpuPercent: number;
  readonly requestsPerSecond: number;
  readonly pollsPerSecond: number;
  readonly metricP50Ms: number;
  readonly metricP99Ms: number;
  /** Of an object that the API server itself has, asked for in turn with the metric. */
  readonly serverP99Ms: number;
  /** Undefined where the limit came first. */
  readonly activationMs: number | undefined;
}

const HPAS_LIMIT_MS = 300_000;
const ACTIVATION_LIMIT_MS = 60_000;
const REST_MS = 60_000;
const METRIC_REQUESTS = 1000;
/** The first ones measure how fast this process learns to ask. */
const WARM_UP_REQUESTS = 100;
const ACTIVATIONS = 10;
const HPAS = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' };
/** How many objects are applied at once. */
const BATCH = 40;

export async function measureContender(
  contender: Contender,
  count: number,
): Promise<ScalerFigures> {
  const plane = await ControlPlane.start({ hpaSyncPeriod: '15s' });
  const queues = new QueueServer();
  await queues.start();
  try {
    const running = await contender.start(plane);
    try {
      return await measureRunning(contender, count, plane, queues, running);
    } finally {
      await running.stop();
    }
  } finally {
    await queues.stop();
    await plane.stop();
  }
}

async function measureRunning(
  contender: Contender,
  count: number,
  plane: ControlPlane,
  queues: QueueServer,
  running: Running,
): Promise<ScalerFigures> {
  const access = await readAccess({ kubeconfig: plane.kubeconfigPath });
  const client = new ApiClient({ access, userAgent: 'bench', qps: 5000, burst: 5000 });
  try {
    await inBatches(count, (index) => createWorkload(client, index));
    const start = performance.now();
    const applied = inBatches(count, (index) => createObject(client, contender, queues, index));
    const hpas = await waitForHpas(client, count, start);
    await applied;
    const hpasAfterMs = hpas === count ? performance.now() - start : undefined;
    const rest = await measureRest(plane, queues, running);
    const { metric, server } = await measureMetric(client);
    return {
      contender: contender.name,
      count,
      hpasAfterMs,
      hpas,
      ...rest,
      metricP50Ms: percentile(metric, 0.5),
      metricP99Ms: percentile(metric, 0.99),
      serverP99Ms: percentile(server, 0.99),
      activationMs: await measureActivation(client, contender, queues),
    };
  } finally {
    await client.close();
  }
}

async function createWorkload(client: ApiClient, index: number): Promise<void> {
  const path = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default' };
  await client.create(path, workload('Deployment', `w${index}`, 1));
}

async function createObject(
  client: ApiClient,
  { group }: Contender,
  queues: QueueServer,
  index: number,
  spec: object = { minReplicaCount: 1 },
): Promise<void> {
  const path = { group, version: 'v1alpha1', resource: 'scaledobjects', namespace: 'default' };
  const name = `w${index}`;
  queues.lengths.set(name, queues.lengths.get(name) ?? 1);
  await client.create(path, {
    apiVersion: `${group}/v1alpha1`,
    kind: 'ScaledObject',
    metadata: { name, namespace: 'default' },
    spec: { scaleTargetRef: { name }, triggers: [queues.trigger(name)], ...spec },
  });
}

async function waitForHpas(client: ApiClient, count: number, start: number): Promise<number> {
  for (;;) {
    const query = { limit: 1 };
    const { items, metadata } = await client.list(HPAS, { query });
    const { remainingItemCount = 0 } = metadata as { remainingItemCount?: number };
    const seen = items.length + remainingItemCount;
    if (seen >= count || performance.now() - start > HPAS_LIMIT_MS) return seen;
    await delay(100);
  }
}

async function measureRest(plane: ControlPlane, queues: QueueServer, { pids }: Running) {
  await delay(REST_MS);
  const polls = () => [...queues.asked.values()].reduce((sum, each) => sum + each, 0);
  const before = { cpu: await cpuSeconds(pids), requests: await requests(plane), polls: polls() };
  const start = performance.now();
  await delay(REST_MS);
  const seconds = (performance.now() - start) / 1000;
  return {
    cpuPercent: (((await cpuSeconds(pids)) - before.cpu) / seconds) * 100,
    requestsPerSecond: ((await requests(plane)) - before.requests) / seconds,
    pollsPerSecond: (polls() - before.polls) / seconds,
    memoryMib: await memoryMib(pids),
  };
}

/** Requests that the API server has answered, of whomever. */
async function requests(plane: ControlPlane): Promise<number> {
  const text = await plane.kubectl('get', '--raw', '/metrics');
  return text
    .split('\n')
    .filter((line) => line.startsWith('apiserver_request_total{'))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** What the scalers make of one trigger. */
interface MetricHpa {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly metrics: readonly [
      {
        readonly external: {
          readonly metric: {
            readonly name: string;
            readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
          };
        };
      },
    ];
  };
}

/**
 * Milliseconds of answers, of any HPA's metric (a scaler that is slow to make them all begins where it likes) and of the
 * HPA itself.
 */
async function measureMetric(client: ApiClient) {
  const { items } = await client.list(HPAS, { query: { limit: 1 } });
  const [hpa] = items as unknown as readonly MetricHpa[];
  if (hpa === undefined) throw new Error('there is no HPA');
  const { name, selector } = hpa.spec.metrics[0].external.metric;
  const [label] = Object.entries(selector.matchLabels).map((each) => each.join('='));
  const query = `labelSelector=${encodeURIComponent(label ?? '')}`;
  const askMetric = () =>
    client.getRaw(`/apis/external.metrics.k8s.io/v1beta1/namespaces/default/${name}?${query}`);
  const askServer = () => client.get({ ...HPAS, namespace: 'default', name: hpa.metadata.name });
  const metric: number[] = [];
  const server: number[] = [];
  for (let count = -WARM_UP_REQUESTS; count < METRIC_REQUESTS; count++) {
    const [metricMs, serverMs] = [await elapsedMs(askMetric), await elapsedMs(askServer)];
    if (count < 0) continue;
    metric.push(metricMs);
    server.push(serverMs);
  }
  return { metric, server };
}

async function elapsedMs(ask: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await ask();
  return performance.now() - start;
}

/** Mean time from work to the write of the first replica, less half the polling interval that it takes on average. */
async function measureActivation(
  client: ApiClient,
  contender: Contender,
  queues: QueueServer,
): Promise<number | undefined> {
  const path = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default' };
  const index = 1_000_000;
  const name = `w${index}`;
  await client.create(path, workload('Deployment', name, 0));
  queues.lengths.set(name, 0);
  await createObject(client, contender, queues, index, { pollingInterval: 1, cooldownPeriod: 1 });
  await delay(5000);
  const times: number[] = [];
  for (let round = 0; round < ACTIVATIONS; round++) {
    queues.lengths.set(name, 1);
    const start = performance.now();
    if (!(await untilReplicas(client, name, (replicas) => replicas > 0))) return undefined;
    times.push(performance.now() - start);
    queues.lengths.set(name, 0);
    if (!(await untilReplicas(client, name, (replicas) => replicas === 0))) return undefined;
    // Not in step with the polls.
    await delay(1000 + Math.random() * 1000);
  }
  return times.reduce((sum, each) => sum + each, 0) / times.length - 500;
}

/** False where the limit comes first. */
async function untilReplicas(
  client: ApiClient,
  name: string,
  isWanted: (replicas: number) => boolean,
): Promise<boolean> {
  const start = performance.now();
  const path = {
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
    namespace: 'default',
    name,
  };
  for (;;) {
    const { spec } = await client.get<{ readonly spec: { readonly replicas: number } }>(path);
    if (isWanted(spec.replicas)) return true;
    if (performance.now() - start > ACTIVATION_LIMIT_MS) return false;
    await delay(5);
  }
}

async function inBatches(count: number, act: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const size = Math.min(BATCH, count - from);
    await Promise.all(Array.from({ length: size }, (_, offset) => act(from + offset)));
  }
}

const TICKS_PER_SECOND = 100;

async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8')));
  const ticks = stats.map((stat) => {
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

async function memoryMib(pids: readonly number[]): Promise<number> {
  const statuses = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8')));
  const kib = statuses.map((status) => Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0));
  return kib.reduce((sum, each) => sum + each, 0) / 1024;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
