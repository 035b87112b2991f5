/** ScaledObjects of all kinds that are given to KEDA and to us; what KEDA made of them is recorded. */
import type {
  ScaledObject,
  ScaledObjectSpec,
} from '../../../src/scaler/resources/scaled-object.ts';
import type { TriggerSpec } from '../../../src/scaler/resources/triggers.ts';

/** Where the sources that live are: they answer every question with `LENGTH`. */
export const SOURCE = 'http://127.0.0.1:19090';
export const LENGTH = 15;
/** Nobody listens there. */
const DEAD = 'http://127.0.0.1:1';

type Member = TriggerSpec & { readonly metricType?: string };
type Spec = Partial<ScaledObjectSpec>;
type Metadata = Partial<ScaledObject['metadata']>;
interface Variant {
  readonly spec: Spec;
  readonly metadata?: Metadata;
}

const queue = (more: Readonly<Record<string, string>> = {}): Member => ({
  type: 'metrics-api',
  metadata: { url: `${SOURCE}/length`, valueLocation: 'length', targetValue: '5', ...more },
});
const prometheus = (
  serverAddress = SOURCE,
  more: Readonly<Record<string, string>> = {},
): Member => ({
  type: 'prometheus',
  metadata: { serverAddress, query: 'sum(jobs)', threshold: '7.5', ...more },
});
const cron = (start: string, end: string, desiredReplicas = '3'): Member => ({
  type: 'cron',
  metadata: { timezone: 'Etc/UTC', start, end, desiredReplicas },
});
const always = cron('0 0 1 1 *', '59 23 31 12 *');
const never = cron('0 0 1 1 *', '1 0 1 1 *');
const cpu: Member = { type: 'cpu', metricType: 'Utilization', metadata: { value: '60' } };
const memory: Member = { type: 'memory', metricType: 'AverageValue', metadata: { value: '100Mi' } };
const container: Member = { ...cpu, metadata: { value: '50', containerName: 'main' } };
const pods: Member = {
  type: 'kubernetes-workload',
  metadata: { podSelector: 'app=nobody', value: '2' },
};
const graphite: Member = {
  type: 'graphite',
  metadata: { serverAddress: DEAD, query: 'a.b', threshold: '4', queryTime: '-10Minutes' },
};
const influxdb: Member = {
  type: 'influxdb',
  metadata: {
    serverURL: DEAD,
    organizationName: 'o',
    query: 'from(bucket: "b")',
    thresholdValue: '4.4',
    authToken: 't',
  },
};
const nats: Member = {
  type: 'nats-jetstream',
  metadata: {
    natsServerMonitoringEndpoint: '127.0.0.1:1',
    account: '$G',
    stream: 'orders.new',
    consumer: 'c',
    lagThreshold: '10',
  },
};
const rabbitmq: Member = {
  type: 'rabbitmq',
  metadata: {
    protocol: 'http',
    host: `${DEAD.replace('//', '//guest:guest@')}/vhost`,
    queueName: 'orders/new',
    mode: 'QueueLength',
    value: '20',
  },
};

const EXTERNALS = [
  queue(),
  queue({ targetValue: '2.5', activationTargetValue: '20' }),
  prometheus(),
  prometheus(DEAD),
  always,
  never,
  pods,
  graphite,
  influxdb,
  nats,
  rabbitmq,
];
const CACHEABLE = EXTERNALS.filter(({ type }) => type !== 'cron');

const alone: readonly Variant[] = EXTERNALS.flatMap((trigger, index) => [
  { spec: { triggers: [trigger] } },
  { spec: { triggers: [{ ...trigger, metricType: 'Value', name: `part-${index}` }] } },
]);
const cached: readonly Variant[] = CACHEABLE.map((trigger) => ({
  spec: { triggers: [{ ...trigger, useCachedMetrics: true }], minReplicaCount: 1 },
}));

const BOUNDS: readonly Spec[] = [
  { minReplicaCount: 0, maxReplicaCount: 1 },
  { minReplicaCount: 2, maxReplicaCount: 2 },
  { minReplicaCount: 3 },
  { idleReplicaCount: 0, minReplicaCount: 2, maxReplicaCount: 7 },
  { cooldownPeriod: 0, pollingInterval: 2 },
  { initialCooldownPeriod: 3600 },
  { minReplicaCount: 0, idleReplicaCount: 0 },
];
const bounds: readonly Variant[] = BOUNDS.flatMap((spec) =>
  [queue(), never].map((trigger) => ({ spec: { ...spec, triggers: [trigger] } })),
);

const policy = { type: 'Pods', value: 2, periodSeconds: 15 } as const;
const BEHAVIORS = [
  { scaleDown: { stabilizationWindowSeconds: 0 } },
  { scaleUp: { policies: [policy], selectPolicy: 'Min' as const } },
  {
    scaleDown: { policies: [policy, { ...policy, type: 'Percent' as const }] },
    scaleUp: { stabilizationWindowSeconds: 10 },
  },
];
const behaviors: readonly Variant[] = BEHAVIORS.flatMap((behavior) =>
  [{}, { 'autoscaling.keda.sh/paused-scale-in': 'true' }].map((annotations) => ({
    spec: { triggers: [queue()], advanced: { horizontalPodAutoscalerConfig: { behavior } } },
    metadata: { annotations },
  })),
);

const labels = { app: 'shop', 'app.kubernetes.io/part-of': 'mine', team: 'a' };
const METADATA: readonly Metadata[] = [
  { labels },
  { labels, annotations: { 'scaledobject.keda.sh/hpa-excluded-labels': 'team' } },
  { labels, annotations: { 'scaledobject.keda.sh/hpa-excluded-labels': 'team, app' } },
  { annotations: { 'example.com/note': 'text', 'validations.keda.sh/hpa-ownership': 'true' } },
  { annotations: { 'autoscaling.keda.sh/paused': 'true' } },
  { annotations: { 'autoscaling.keda.sh/paused': 'false' } },
  { annotations: { 'autoscaling.keda.sh/paused-replicas': '2' } },
  { annotations: { 'autoscaling.keda.sh/paused-scale-out': 'true' } },
  { annotations: { 'autoscaling.keda.sh/force-activation': 'true' } },
];
const described: readonly Variant[] = METADATA.flatMap((metadata) =>
  [queue(), never].map((trigger) => ({ spec: { triggers: [trigger] }, metadata })),
);

const named = (trigger: Member, name: string): Member => ({ ...trigger, name });
const FORMULAS: readonly Spec['triggers'][] = [
  [named(queue(), 'a'), named(prometheus(), 'b')],
  [named(queue(), 'a'), cpu, named(always, 'b')],
  [memory, cpu, named(queue(), 'a'), named(pods, 'b')],
  [named(queue(), 'a'), named(prometheus(DEAD), 'b')],
];
const formulas: readonly Variant[] = FORMULAS.flatMap((triggers = []) =>
  [
    { formula: 'a + b', target: '2' },
    { formula: 'a > b ? a : b', target: '2.5', metricType: 'Value' as const },
    { formula: 'max(a, b)', target: '4', activationTarget: '100' },
  ].map((scalingModifiers) => ({ spec: { triggers, advanced: { scalingModifiers } } })),
);

const BEHAVIORS_OF_FALLBACK = ['static', 'currentReplicas', 'currentReplicasIfHigher'] as const;
const fallbacks: readonly Variant[] = BEHAVIORS_OF_FALLBACK.flatMap((behavior) =>
  [prometheus(DEAD), queue()].map((trigger) => ({
    spec: { triggers: [trigger], fallback: { failureThreshold: 0, replicas: 4, behavior } },
  })),
);

const several: readonly Variant[] = [
  [cpu],
  [memory],
  [container],
  [cpu, memory, container],
  [cpu, queue()],
  [queue(), cpu, prometheus(), memory],
  [container, always, cpu],
  [queue(), queue({ url: `${SOURCE}/other`, valueLocation: 'other.length' })],
  [prometheus(DEAD), queue()],
  [prometheus(DEAD), never],
].map((triggers) => ({ spec: { triggers, minReplicaCount: 1 } }));

const wrong: readonly Variant[] = [
  { spec: { triggers: [{ type: 'unheard-of', metadata: {} }] } },
  { spec: { triggers: [queue({ targetValue: 'many' })] } },
  { spec: { triggers: [prometheus(SOURCE, { query: '' })] } },
  { spec: { triggers: [{ ...always, useCachedMetrics: true }] } },
  { spec: { triggers: [named(queue(), 'same'), named(prometheus(), 'same')] } },
  { spec: { triggers: [queue()], idleReplicaCount: 2, minReplicaCount: 1 } },
  { spec: { triggers: [queue()], scaleTargetRef: { name: 'nobody' } } },
  { spec: { triggers: [queue()], scaleTargetRef: { name: 'nobody', kind: 'DaemonSet' } } },
  {
    spec: {
      triggers: [queue()],
      advanced: { scalingModifiers: { formula: 'a +', target: '2' } },
    },
  },
  { spec: { triggers: [named(queue(), 'a')], advanced: { scalingModifiers: { formula: 'a' } } } },
  {
    spec: {
      triggers: [queue()],
      advanced: { horizontalPodAutoscalerConfig: { name: 'hpa-of-their-own' } },
    },
  },
];

/** All of them; the workload of each has its name, unless it names another. */
export const scaledObjects: readonly ScaledObject[] = [
  ...[...alone, ...cached, ...bounds, ...behaviors, ...described, ...formulas],
  ...[...fallbacks, ...several, ...wrong],
].map(({ spec, metadata }, index) => {
  const name = `object-${String(index).padStart(3, '0')}`;
  return {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name, namespace: 'default', ...metadata },
    spec: { scaleTargetRef: { name }, pollingInterval: 5, triggers: [], ...spec },
  };
});
