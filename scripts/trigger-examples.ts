/** What the pages of triggers show as an example. A trigger without an entry shows its required parameters. */
import type { Parameters } from '../src/scaler/parameters.ts';
import { readParameters } from '../src/scaler/read-parameters.ts';
import type { AnyTrigger, MetricType, Parameter } from '../src/scaler/trigger.ts';

/** One trigger as a user would write it. */
export interface TriggerExample {
  readonly metadata: Readonly<Record<string, string>>;
  /** Kept in a Secret. */
  readonly authentication?: Readonly<Record<string, string>>;
  readonly metricType?: MetricType;
}

const REDIS = { listName: 'orders', listLength: '10' };
const STREAM = { stream: 'orders', consumerGroup: 'workers', pendingEntriesCount: '10' };
const NODES = { addresses: 'redis-0.redis:6379, redis-1.redis:6379, redis-2.redis:6379' };
const SENTINELS = { addresses: 'sentinel-0.redis:26379, sentinel-1.redis:26379' };
const SECRET = { password: 'change-me' };
const KAFKA = {
  bootstrapServers: 'kafka.shop:9092',
  consumerGroup: 'workers',
  topic: 'orders',
  lagThreshold: '50',
};

const EXAMPLES: Readonly<Record<string, TriggerExample>> = {
  'apache-kafka': { metadata: KAFKA },
  beanstalkd: { metadata: { server: 'beanstalkd.shop:11300', tube: 'orders', value: '10' } },
  cpu: { metadata: { value: '60' }, metricType: 'Utilization' },
  cron: {
    metadata: {
      timezone: 'Europe/Madrid',
      start: '0 8 * * 1-5',
      end: '0 20 * * 1-5',
      desiredReplicas: '10',
    },
  },
  etcd: {
    metadata: { endpoints: 'http://etcd.shop:2379', watchKey: 'orders/waiting', value: '10' },
  },
  external: { metadata: { scalerAddress: 'orders-scaler.shop:9090', queue: 'orders' } },
  'external-push': { metadata: { scalerAddress: 'orders-scaler.shop:9090', queue: 'orders' } },
  graphite: {
    metadata: {
      serverAddress: 'http://graphite.shop:8080',
      query: 'stats.counters.orders.count',
      queryTime: '-5Minutes',
      threshold: '100',
    },
  },
  influxdb: {
    metadata: {
      serverURL: 'http://influxdb.shop:8086',
      organizationName: 'shop',
      query: 'from(bucket: "orders") |> range(start: -1m) |> last()',
      thresholdValue: '100',
    },
    authentication: { authToken: 'change-me' },
  },
  kafka: { metadata: KAFKA },
  'kubernetes-resource': {
    metadata: {
      resourceKind: 'ConfigMap',
      resourceName: 'wanted',
      key: 'workers',
      targetValue: '1',
    },
  },
  'kubernetes-workload': { metadata: { podSelector: 'app in (shop, cart)', value: '5' } },
  memory: { metadata: { value: '512Mi' }, metricType: 'AverageValue' },
  'metrics-api': {
    metadata: {
      url: 'http://orders.shop:8080/stats',
      valueLocation: 'queue.waiting',
      targetValue: '10',
    },
  },
  mysql: {
    metadata: {
      host: 'mysql.shop',
      port: '3306',
      username: 'scaler',
      dbName: 'shop',
      query: "SELECT COUNT(*) FROM orders WHERE state = 'waiting'",
      queryValue: '10',
    },
    authentication: SECRET,
  },
  'nats-jetstream': {
    metadata: {
      natsServerMonitoringEndpoint: 'nats.shop:8222',
      account: '$G',
      stream: 'orders',
      consumer: 'workers',
      lagThreshold: '10',
    },
  },
  postgresql: {
    metadata: {
      host: 'postgresql.shop',
      port: '5432',
      userName: 'scaler',
      dbName: 'shop',
      sslmode: 'require',
      query: "SELECT COUNT(*) FROM orders WHERE state = 'waiting'",
      targetQueryValue: '10',
    },
    authentication: SECRET,
  },
  prometheus: {
    metadata: {
      serverAddress: 'http://prometheus.monitoring:9090',
      query: 'sum(rate(http_requests_total{app="shop"}[2m]))',
      threshold: '100',
    },
  },
  rabbitmq: {
    metadata: { queueName: 'orders', mode: 'QueueLength', value: '20' },
    authentication: { host: 'amqp://scaler:change-me@rabbitmq.shop:5672/' },
  },
  redis: { metadata: { address: 'redis.shop:6379', ...REDIS }, authentication: SECRET },
  'redis-cluster': { metadata: { ...NODES, ...REDIS }, authentication: SECRET },
  'redis-cluster-streams': { metadata: { ...NODES, ...STREAM }, authentication: SECRET },
  'redis-sentinel': {
    metadata: { ...SENTINELS, sentinelMaster: 'main', ...REDIS },
    authentication: SECRET,
  },
  'redis-sentinel-streams': {
    metadata: { ...SENTINELS, sentinelMaster: 'main', ...STREAM },
    authentication: SECRET,
  },
  'redis-streams': { metadata: { address: 'redis.shop:6379', ...STREAM }, authentication: SECRET },
};

/** The example of a trigger. */
export function exampleOf({ type, parameters }: AnyTrigger): TriggerExample {
  const known = EXAMPLES[type];
  if (known !== undefined) return known;
  const wanted = Object.entries(parameters as Parameters).filter(([, { required }]) => required);
  const within = (isMetadata: boolean) =>
    Object.fromEntries(
      wanted
        .filter(([, { from }]) => from.includes('metadata') === isMetadata)
        .map(([name, parameter]) => [name, placeholder(name, parameter)]),
    );
  return { metadata: within(true), authentication: within(false) };
}

/** What the scaler reads out of an example. */
export function readExample(trigger: AnyTrigger) {
  const { metadata, authentication = {}, metricType } = exampleOf(trigger);
  const sources = { metadata, authentication, environment: {} };
  const read = readParameters(trigger.parameters as Parameters, sources);
  const context = {
    object: { kind: 'ScaledObject', namespace: 'shop', name: 'orders' },
    index: 0,
    name: undefined,
    metricType: metricType ?? (trigger.open === undefined ? undefined : 'AverageValue'),
    isMember: false,
  } as const;
  const problems = [
    ...read.problems.map(({ parameter, message }) => `${parameter} ${message}`),
    ...(read.problems.length === 0 ? (trigger.check?.(read.values, context) ?? []) : []),
  ];
  return {
    problems,
    metric: problems.length === 0 ? trigger.metric?.(read.values, context) : undefined,
  };
}

function placeholder(name: string, { kind, choices }: Parameter<unknown>): string {
  const [first] = choices ?? [];
  if (first !== undefined) return first;
  if (kind === 'boolean') return 'true';
  if (kind === 'duration') return '30s';
  return kind === 'integer' || kind === 'number' ? '5' : name;
}
