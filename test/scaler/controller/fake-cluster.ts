/** A cluster in memory, for controllers. Typed by the port that the real one fills. */
import type {
  EventReport,
  Job,
  ScalerCluster,
  StoredHpa,
} from '../../../src/scaler/controller/ports.ts';
import { targetMissing } from '../../../src/scaler/controller/target-problem.ts';
import type { ScaledJob } from '../../../src/scaler/resources/scaled-job.ts';
import type { ScaledObject } from '../../../src/scaler/resources/scaled-object.ts';
import type { TriggerAuthentication } from '../../../src/scaler/resources/trigger-authentication.ts';

export interface FakeState {
  readonly objects: Map<string, ScaledObject>;
  readonly jobs: Map<string, ScaledJob>;
  readonly authentications: Map<string, TriggerAuthentication>;
  readonly secrets: Map<string, Readonly<Record<string, string>>>;
  readonly hpas: Map<string, StoredHpa>;
  /** The HPAs that the cache shows, where it is behind. */
  shownHpas: ReadonlyMap<string, StoredHpa> | undefined;
  readonly replicas: Map<string, number>;
  readonly made: Job[];
  readonly events: EventReport[];
  /** Every write of a scale, in order. */
  readonly scaled: number[];
  nowMs: number;
  /** By how much the clock was set forward, all in all. */
  jumpedMs: number;
  /** How long a write of a scale waits for the API server. */
  delayMs: number;
}

export function newState(): FakeState {
  return {
    objects: new Map(),
    jobs: new Map(),
    authentications: new Map(),
    secrets: new Map(),
    hpas: new Map(),
    shownHpas: undefined,
    replicas: new Map(),
    made: [],
    events: [],
    scaled: [],
    nowMs: Date.parse('2026-01-01T00:00:00Z'),
    jumpedMs: 0,
    delayMs: 0,
  };
}

export function fakeCluster(state: FakeState): ScalerCluster {
  const setStatus = (key: string, status: object) => {
    const object = state.objects.get(key);
    if (object !== undefined) state.objects.set(key, { ...object, status: { ...status } });
    const job = state.jobs.get(key);
    if (job !== undefined) state.jobs.set(key, { ...job, status: { ...status } });
  };
  const keyOf = ({ metadata }: Pick<ScaledObject, 'metadata'>) =>
    `${metadata.namespace}/${metadata.name}`;
  return {
    now: () => state.nowMs,
    http: {
      request: () => Promise.reject(new Error('there is no network')),
      // biome-ignore lint/correctness/useYield: there is nothing to give.
      async *lines() {
        throw new Error('there is no network');
      },
    },
    file: () => Promise.reject(new Error('there are no files')),
    authentication: async (kind, namespace, name) =>
      state.authentications.get(
        `${kind}/${kind === 'TriggerAuthentication' ? namespace : ''}/${name}`,
      ),
    serviceAccountToken: async () => ({ token: 'token', expiresMs: state.nowMs + 1000 }),
    data: async (kind, namespace, name) => state.secrets.get(`${kind}/${namespace}/${name}`),
    pods: async () => [],
    endpoints: async () => [],
    scaledObject: (key) => state.objects.get(key),
    scaledObjects: () => [...state.objects.values()],
    scaledJob: (key) => state.jobs.get(key),
    scaledJobs: () => [...state.jobs.values()],
    hpa: (namespace, name) => (state.shownHpas ?? state.hpas).get(`${namespace}/${name}`),
    hpasOf: (namespace, { kind }, name) =>
      [...state.hpas.values()].filter(
        ({ metadata, spec }) =>
          metadata.namespace === namespace &&
          spec.scaleTargetRef.kind === kind &&
          spec.scaleTargetRef.name === name,
      ),
    jobsOf: () => state.made,
    jobPodsOf: async () => [],
    storedJobsOf: async () => state.made,
    targetKind: async (_apiVersion, kind) => ({
      group: 'apps',
      version: 'v1',
      kind,
      resource: `${kind.toLowerCase()}s`,
    }),
    async target(_kind, namespace, name) {
      const replicas = state.replicas.get(`${namespace}/${name}`);
      if (replicas === undefined) throw targetMissing(`Deployment ${namespace}/${name}`);
      return { replicas, template: undefined };
    },
    readyPods: async () => 1,
    async setReplicas(_kind, namespace, name, { to, from, guard }) {
      state.nowMs += state.delayMs;
      guard?.();
      const key = `${namespace}/${name}`;
      if (from !== undefined && state.replicas.get(key) !== from) return false;
      state.replicas.set(key, to);
      state.scaled.push(to);
      return true;
    },
    async createHpa(hpa) {
      state.hpas.set(`${hpa.metadata.namespace}/${hpa.metadata.name}`, hpa as StoredHpa);
      return hpa as StoredHpa;
    },
    async replaceHpa(stored, hpa) {
      const key = `${hpa.metadata.namespace}/${hpa.metadata.name}`;
      if (state.hpas.get(key) !== stored) return undefined;
      state.hpas.set(key, hpa as StoredHpa);
      return hpa as StoredHpa;
    },
    async deleteHpa(namespace, name) {
      state.hpas.delete(`${namespace}/${name}`);
    },
    readHpa: async (namespace, name) => state.hpas.get(`${namespace}/${name}`),
    async createJob(job) {
      const { name } = (job as Job).metadata;
      if (state.made.some(({ metadata }) => metadata.name === name)) return false;
      state.made.push(job as Job);
      return true;
    },
    checkJob: async () => {},
    async deleteJob(job) {
      state.made.splice(state.made.indexOf(job), 1);
    },
    async patchStatus(owner, _before, after) {
      setStatus(keyOf(owner as ScaledObject), after);
    },
    async claim(owner, labels) {
      const key = keyOf(owner as ScaledObject);
      const claimed = (metadata: ScaledObject['metadata']) => ({
        ...metadata,
        labels: { ...metadata.labels, ...labels },
        finalizers: ['finalizer.scaler.tsprov.dev'],
      });
      const object = state.objects.get(key);
      if (object !== undefined)
        state.objects.set(key, { ...object, metadata: claimed(object.metadata) });
      const job = state.jobs.get(key);
      if (job !== undefined) state.jobs.set(key, { ...job, metadata: claimed(job.metadata) });
    },
    async releaseFinalizer(owner) {
      state.objects.delete(keyOf(owner as ScaledObject));
    },
    report: (_owner, event) => state.events.push(event),
  };
}
