/** The cluster as the controllers see it: reads from caches, writes to the API server. */
import { readFile } from 'node:fs/promises';
import { ApiError } from '../../kubernetes/api-error.ts';
import { Writer } from '../../kubernetes/apply.ts';
import type { KubeObject, ObjectMeta, Resource } from '../../kubernetes/objects.ts';
import type { Job, JobPod, ScalerCluster } from '../controller/ports.ts';
import { keysOf } from '../names.ts';
import { resources } from '../resources/all.ts';
import { pathOf } from '../resources/resource.ts';
import { scaledObject } from '../resources/scaled-object.ts';
import type { KubeClusterDependencies } from './kube-dependencies.ts';
import { autoscalers, workloads } from './kube-workloads.ts';
import { asPod, holding, PODS, type PodObject } from './pods.ts';

const CORE = { group: '', version: 'v1' } as const;
const JOBS: Resource = { group: 'batch', version: 'v1', resource: 'jobs' };
/** Part of a token's life after which a new one is asked for. */
const LIFE_SHARE = 0.8;

export function makeKubeCluster(dependencies: KubeClusterDependencies): ScalerCluster {
  return {
    ...customResources(dependencies),
    ...credentials(dependencies),
    ...workloads(dependencies),
    ...autoscalers(dependencies),
    ...jobs(dependencies),
  };
}

function customResources({ leader, caches, names, events }: KubeClusterDependencies) {
  const writer = new Writer(leader, names.manager);
  const addressOf = ({
    kind,
    metadata,
  }: {
    readonly kind: string;
    readonly metadata: ObjectMeta;
  }) => ({
    ...pathOf(resources.find((each) => each.kind === kind) ?? scaledObject, names),
    namespace: metadata.namespace,
    name: metadata.name,
  });
  return {
    scaledObject: (key) => caches.scaledObjects.get(...split(key)),
    scaledObjects: () => caches.scaledObjects.list(),
    scaledJob: (key) => caches.scaledJobs.get(...split(key)),
    scaledJobs: () => caches.scaledJobs.list(),
    async patchStatus(owner, before, after, signal) {
      await writer.writeStatus(addressOf(owner), before ?? {}, after, signal);
    },
    async claim(owner, labels, signal) {
      const { finalizers = [], resourceVersion } = owner.metadata;
      const isOurs = finalizers.includes(names.finalizer);
      const all = isOurs ? finalizers : [...finalizers, names.finalizer];
      // With the version: where somebody else has written since, their finalizers must not be lost.
      const metadata = { labels, finalizers: all, resourceVersion };
      await writer.patch(addressOf(owner), { metadata }, signal);
    },
    releaseFinalizer: (owner, signal) =>
      writer.removeFinalizer(addressOf(owner), names.finalizer, signal),
    report({ apiVersion, kind, metadata }, { type, reason, message }) {
      const { namespace, name, uid } = metadata;
      events.record({
        regarding: { apiVersion, kind, namespace, name, uid },
        type,
        reason,
        note: message,
      });
    },
  } satisfies Partial<ScalerCluster>;
}

function credentials(dependencies: KubeClusterDependencies) {
  const { client, caches, http, nowMs, tokenSeconds } = dependencies;
  return {
    http,
    now: nowMs,
    file: (path) => readFile(path, 'utf8'),
    async authentication(kind, namespace, name) {
      return kind === 'TriggerAuthentication'
        ? caches.authentications.get(namespace, name)
        : caches.clusterAuthentications.get('', name);
    },
    async serviceAccountToken(namespace, name) {
      const path = { ...CORE, resource: 'serviceaccounts', namespace, name, subresource: 'token' };
      const request = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: tokenSeconds },
      };
      const answer = await client.create<{
        readonly status: { readonly token: string; readonly expirationTimestamp: string };
      }>(path, request);
      const { token, expirationTimestamp } = answer.status;
      const lifeMs = Date.parse(expirationTimestamp) - nowMs();
      return { token, expiresMs: nowMs() + lifeMs * LIFE_SHARE };
    },
    async data(kind, namespace, name) {
      const resource = kind === 'Secret' ? 'secrets' : 'configmaps';
      const found = await client.find<{
        readonly data?: Readonly<Record<string, string>>;
        readonly binaryData?: Readonly<Record<string, string>>;
      }>({ ...CORE, resource, namespace, name });
      if (found === undefined) return undefined;
      if (kind === 'ConfigMap') return { ...decode(found.binaryData), ...found.data };
      return decode(found.data);
    },
    async endpoints(namespace, service) {
      const path = {
        group: 'discovery.k8s.io',
        version: 'v1',
        resource: 'endpointslices',
        namespace,
      };
      const labelSelector = `kubernetes.io/service-name=${service}`;
      const { items } = await client.list<EndpointSlice>(path, { query: { labelSelector } });
      const ready = items.flatMap(({ endpoints = [] }) =>
        endpoints.flatMap(({ addresses, conditions }) =>
          conditions?.ready === false ? [] : addresses,
        ),
      );
      return [...new Set(ready)].map((address) =>
        address.includes(':') ? `[${address}]` : address,
      );
    },
    async pods(namespace, labelSelector) {
      const { items } = await client.list<PodObject>(
        { ...PODS, namespace },
        { query: { labelSelector } },
      );
      return items.map(asPod);
    },
  } satisfies Partial<ScalerCluster>;
}

function jobs({ leader: client, caches, names }: KubeClusterDependencies) {
  const label = keysOf(names).scaledJobName;
  return {
    jobsOf: ({ metadata }) =>
      caches.jobs
        .list(metadata.namespace)
        .filter((job) => job.metadata.labels?.[label] === metadata.name),
    async jobPodsOf({ metadata }) {
      const query = { labelSelector: `${label}=${metadata.name}` };
      const path = { ...PODS, namespace: metadata.namespace };
      const { items } = await client.list<PodObject>(path, { query });
      return items.map(asJobPod);
    },
    async storedJobsOf({ metadata }, signal) {
      const query = { labelSelector: `${label}=${metadata.name}` };
      const path = { ...JOBS, namespace: metadata.namespace };
      return (await client.list<Job>(path, { query, signal })).items;
    },
    async createJob(job, namespace, signal) {
      try {
        await client.create<Job>({ ...JOBS, namespace }, job, { signal });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.reason === 'AlreadyExists') return false;
        throw error;
      }
    },
    async checkJob(job, namespace, signal) {
      await client.create({ ...JOBS, namespace }, job, { signal, query: { dryRun: 'All' } });
    },
    deleteJob: ({ metadata }: Job, propagationPolicy, signal) =>
      client.delete(
        { ...JOBS, namespace: metadata.namespace, name: metadata.name },
        { signal, propagationPolicy },
      ),
  } satisfies Partial<ScalerCluster>;
}

interface EndpointSlice extends KubeObject {
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions?: { readonly ready?: boolean };
  }[];
}

function asJobPod({ metadata, status }: PodObject): JobPod {
  const { labels = {} } = metadata;
  return {
    jobName: labels['job-name'] ?? labels['batch.kubernetes.io/job-name'] ?? '',
    phase: status?.phase ?? 'Unknown',
    conditions: holding(status),
  };
}

function split(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
}

function decode(data: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(data).map(([key, base64]) => [key, Buffer.from(base64, 'base64').toString()]),
  );
}
