/** Workloads with a scale, and the HPAs that scale them. */

import type { ApiClient } from '../../kubernetes/api-client.ts';
import { ApiError, isConflict, isNotFound } from '../../kubernetes/api-error.ts';
import type { Resource } from '../../kubernetes/objects.ts';
import {
  ScaleClient,
  type ScaleTarget as ScaleTargetAddress,
} from '../../kubernetes/scale-client.ts';
import type { PodTemplate } from '../authentication/environment.ts';
import type { ScalerCluster, ScaleTarget, StoredHpa, TargetKind } from '../controller/ports.ts';
import { targetMissing, targetNotScalable } from '../controller/target-problem.ts';
import { BY_TARGET, type Caches, targetKey, trimTemplate } from './caches.ts';
import type { KubeClusterDependencies } from './kube-dependencies.ts';
import { asPod, PODS, type PodObject } from './pods.ts';

const HPAS: Resource = {
  group: 'autoscaling',
  version: 'v2',
  resource: 'horizontalpodautoscalers',
};

export function workloads({ client, leader, caches, discovery }: KubeClusterDependencies) {
  const scales = new ScaleClient(leader);
  const cached: Readonly<Record<string, Caches['deployments']>> = {
    'apps/deployments': caches.deployments,
    'apps/statefulsets': caches.statefulSets,
  };
  return {
    async targetKind(apiVersion, kind) {
      const found = await discovery.resolveScalable(apiVersion, kind);
      if (!found.isScalable) throw targetNotScalable(`${apiVersion} ${kind}`);
      const { group, version, resource } = found;
      return { group, version, kind: found.kind, resource };
    },
    async target(kind, namespace, name, signal): Promise<ScaleTarget> {
      const known = cached[`${kind.group}/${kind.resource}`]?.get(namespace, name);
      if (known !== undefined) return { replicas: known.replicas, template: known.template };
      const address = { ...addressOf(kind), namespace, name };
      const read = () =>
        Promise.all([scales.get(address, signal), readObject(client, address, signal)]);
      const [scale, object] = await readTarget(kind, read, namespace, name);
      return { replicas: scale.replicas, template: trimTemplate(object?.spec?.template?.spec) };
    },
    async readyPods(kind, namespace, name, signal) {
      const { selector } = await scales.get({ ...addressOf(kind), namespace, name }, signal);
      if (selector === '') return 0;
      const query = { labelSelector: selector };
      const { items } = await client.list<PodObject>({ ...PODS, namespace }, { query, signal });
      return items.map(asPod).filter(({ phase, isReady }) => phase === 'Running' && isReady).length;
    },
    async setReplicas(kind, namespace, name, { to, from, guard }, signal) {
      const target = { ...addressOf(kind), namespace, name };
      const { replicas } = await readTarget(
        kind,
        () =>
          scales.update(
            target,
            (current) => (from === undefined || current.replicas === from ? to : undefined),
            { signal, guard },
          ),
        namespace,
        name,
      );
      return replicas === to;
    },
  } satisfies Partial<ScalerCluster>;
}

export function autoscalers({ leader: client, caches }: KubeClusterDependencies) {
  const address = (namespace: string, name?: string) => ({ ...HPAS, namespace, name });
  return {
    hpa: (namespace, name) => caches.hpas.get(namespace, name),
    hpasOf: (namespace, { kind }, name) =>
      caches.hpas.byIndex(BY_TARGET, targetKey(namespace, kind, name)),
    async createHpa(hpa, signal) {
      const path = address(hpa.metadata.namespace ?? '');
      try {
        return await client.create<StoredHpa>(path, hpa, { signal });
      } catch (error) {
        if (error instanceof ApiError && error.reason === 'AlreadyExists') return undefined;
        throw error;
      }
    },
    async replaceHpa(stored, hpa, signal) {
      const { resourceVersion } = stored.metadata;
      const body = { ...hpa, metadata: { ...hpa.metadata, resourceVersion } };
      const path = address(stored.metadata.namespace ?? '', stored.metadata.name);
      try {
        return await client.replace<StoredHpa>(path, body, { signal });
      } catch (error) {
        if (isConflict(error)) return undefined;
        throw error;
      }
    },
    deleteHpa: (namespace, name, signal) =>
      client.delete(address(namespace, name), { signal, propagationPolicy: 'Background' }),
    readHpa: (namespace, name, signal) =>
      client.find<StoredHpa>(address(namespace, name), { signal }),
  } satisfies Partial<ScalerCluster>;
}

function addressOf({ group, version, resource }: TargetKind): Resource {
  return { group, version, resource };
}

interface WithTemplate {
  readonly spec?: { readonly template?: { readonly spec?: PodTemplate } };
}

/** Undefined where only the scale may be read: the environment of containers is all that this takes away. */
async function readObject(
  client: Pick<ApiClient, 'get'>,
  address: ScaleTargetAddress,
  signal: AbortSignal | undefined,
): Promise<WithTemplate | undefined> {
  try {
    return await client.get<WithTemplate>(address, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return undefined;
    throw error;
  }
}

/** A target that is not there is the author's mistake, and is told as one. */
async function readTarget<T>(
  { kind, group, version }: TargetKind,
  read: () => Promise<T>,
  namespace: string,
  name: string,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const which = `${group === '' ? '' : `${group}/`}${version} ${kind} ${namespace}/${name}`;
    throw targetMissing(which, { cause: error instanceof ApiError ? error : undefined });
  }
}
