/** Copies of what the operator needs of the cluster, trimmed to that. */

import type { ApiClient } from '../../kubernetes/api-client.ts';
import type { KubeObject, ObjectMeta, Resource } from '../../kubernetes/objects.ts';
import type { PodTemplate } from '../authentication/environment.ts';
import { ObjectCache } from '../cluster/object-cache.ts';
import type { Job, StoredHpa } from '../controller/ports.ts';
import { apiVersionOf, keysOf, type Names } from '../names.ts';
import { type Resource as CustomResource, pathOf } from '../resources/resource.ts';
import { type ScaledJob, scaledJob } from '../resources/scaled-job.ts';
import { type ScaledObject, scaledObject } from '../resources/scaled-object.ts';
import {
  clusterTriggerAuthentication,
  type TriggerAuthentication,
  triggerAuthentication,
} from '../resources/trigger-authentication.ts';

/** A Deployment or StatefulSet, without what nobody asks for. */
export interface Workload extends KubeObject {
  readonly replicas: number;
  readonly template: PodTemplate | undefined;
}

export interface CacheSettings {
  readonly client: ApiClient;
  readonly names: Names;
  /** Default: all. */
  readonly namespaces: readonly string[] | undefined;
  /** Only objects with these labels are ours. */
  readonly labelSelector: string | undefined;
  /** Told of interruptions, which are mended without help. */
  readonly onProblem: (error: unknown) => void;
}

export type Caches = ReturnType<typeof makeCaches>;

/** By which an HPA is found: the workload that it scales. */
export const BY_TARGET = 'target';

const APPS = { group: 'apps', version: 'v1' } as const;

export function makeCaches(settings: CacheSettings) {
  const { names, labelSelector } = settings;
  const ours = <T extends KubeObject>(resource: CustomResource, selector?: string) =>
    cacheOf<T>(settings, pathOf(resource, names), {
      labelSelector: selector,
      namespaces: resource.isNamespaced ? settings.namespaces : undefined,
      trim: (object) => withKind<T>(object, resource.kind, names),
    });
  return {
    scaledObjects: ours<ScaledObject>(scaledObject, labelSelector),
    scaledJobs: ours<ScaledJob>(scaledJob, labelSelector),
    authentications: ours<TriggerAuthentication>(triggerAuthentication),
    clusterAuthentications: ours<TriggerAuthentication>(clusterTriggerAuthentication),
    hpas: cacheOf<StoredHpa>(
      settings,
      { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' },
      { indexes: { [BY_TARGET]: (hpa: StoredHpa) => [targetOf(hpa)] } },
    ),
    deployments: workloads(settings, 'deployments'),
    statefulSets: workloads(settings, 'statefulsets'),
    jobs: cacheOf<Job>(
      settings,
      { group: 'batch', version: 'v1', resource: 'jobs' },
      { labelSelector: keysOf(names).scaledJobName, trim: trimJob },
    ),
  };
}

/** The text under which an HPA's target is found again. */
export function targetKey(namespace: string, kind: string, name: string): string {
  return `${namespace}/${kind}/${name}`;
}

function targetOf({ metadata, spec }: StoredHpa): string {
  return targetKey(metadata.namespace ?? '', spec.scaleTargetRef.kind, spec.scaleTargetRef.name);
}

function cacheOf<T extends KubeObject>(
  { client, namespaces, onProblem }: CacheSettings,
  resource: Resource,
  options: Partial<ConstructorParameters<typeof ObjectCache<T>>[0]>,
): ObjectCache<T> {
  return new ObjectCache<T>({ client, resource, namespaces, onProblem, ...options });
}

function workloads(settings: CacheSettings, resource: string): ObjectCache<Workload> {
  return cacheOf<Workload>(settings, { ...APPS, resource }, { trim: trimWorkload });
}

/** Lists leave out of each object what they say once. */
function withKind<T extends KubeObject>(object: KubeObject, kind: string, names: Names): T {
  const { managedFields: _, ...metadata } = object.metadata as ObjectMeta & {
    readonly managedFields?: unknown;
  };
  return { ...object, apiVersion: apiVersionOf(names), kind, metadata } as unknown as T;
}

function trimWorkload(object: KubeObject): Workload {
  const { metadata, spec } = object as KubeObject & {
    readonly spec?: {
      readonly replicas?: number;
      readonly template?: { readonly spec?: PodTemplate };
    };
  };
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    metadata: { name, namespace, uid, resourceVersion },
    replicas: spec?.replicas ?? 1,
    template: trimTemplate(spec?.template?.spec),
  };
}

/** Containers with their environment alone. */
export function trimTemplate(template: PodTemplate | undefined): PodTemplate | undefined {
  if (template === undefined) return undefined;
  const trim = (containers: PodTemplate['containers'] = []) =>
    containers.map(({ name, env, envFrom }) => ({
      name,
      ...(env !== undefined && { env }),
      ...(envFrom !== undefined && { envFrom }),
    }));
  return { containers: trim(template.containers), initContainers: trim(template.initContainers) };
}

function trimJob(object: KubeObject): Job {
  const { metadata, status } = object as Job;
  const { name, namespace, uid, resourceVersion, labels, annotations } = metadata;
  const { creationTimestamp, deletionTimestamp } = metadata;
  const times = { creationTimestamp, deletionTimestamp };
  return {
    metadata: { name, namespace, uid, resourceVersion, labels, annotations, ...times },
    ...(status !== undefined && { status }),
  };
}
