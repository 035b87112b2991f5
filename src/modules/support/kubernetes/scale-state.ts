/** Objects that are to have a number of replicas: what is there, and what keeps them from being scaled. */
import { type Reader, TaskError } from '../../../engine/module.ts';
import type { ServedKind } from '../../../kubernetes/served-kind.ts';
import type { Cluster } from './cluster.ts';
import { findObjects } from './find-objects.ts';
import { type Json, memberOf, textOf } from './json.ts';
import { isReady } from './readiness.ts';
import { labelOf, type NamedTarget, type Target, targetOf } from './target.ts';

/** What a task wants of its objects. */
export interface ScaleWish {
  readonly replicas: number;
  readonly current_replicas?: number | undefined;
  readonly resource_version?: string | undefined;
}

/** One object before it is scaled. */
export interface ScaleState {
  readonly target: NamedTarget;
  readonly object: Json;
  /** It has this many, or a Job this parallelism. */
  readonly count: number | undefined;
}

/**
 * The objects that a definition or labels mean.
 * @throws {TaskError} where the one that is named is not there.
 */
export async function readScales(
  reader: Reader,
  cluster: Cluster,
  target: Target,
  labels: readonly string[],
): Promise<readonly ScaleState[]> {
  const objects = await findObjects({ reader, cluster }, { ...target, labels, fields: [] });
  if (target.name !== undefined && objects.length === 0) {
    const isNamespaceMissing = target.kind.isNamespaced && target.namespace === undefined;
    throw new TaskError(`Failed to retrieve requested object: ${labelOf(target)} is not there`, {
      hint: isNamespaceMissing ? 'give its namespace' : 'correct its name or its namespace',
    });
  }
  return objects.map((object) => stateOf(target.kind, object));
}

function stateOf(kind: ServedKind, object: Json): ScaleState {
  const target = targetOf(kind, object);
  const count = memberOf(object, 'spec')[fieldOf(kind)];
  return {
    target: { ...target, name: target.name ?? '' },
    object,
    count: typeof count === 'number' ? count : undefined,
  };
}

/** Jobs have no scale: how many of their pods run at once is what people mean. */
export function fieldOf({ kind }: Pick<ServedKind, 'kind'>): 'parallelism' | 'replicas' {
  return kind === 'Job' ? 'parallelism' : 'replicas';
}

/** Why the object is left as it is, for conditions of the task that it does not meet; in kubernetes.core's words. */
export function unmet({ target, object, count }: ScaleState, wish: ScaleWish): string | undefined {
  const { current_replicas: current, resource_version: version } = wish;
  const actual = textOf(memberOf(object, 'metadata'), 'resourceVersion');
  if (version !== undefined && version !== '' && version !== actual) {
    return `expected resource version ${version} does not match with actual ${actual} for object ${described(target)}.`;
  }
  if (current !== undefined && current !== count) {
    return `current replicas ${current} does not match with actual ${count} for object ${described(target)}.`;
  }
  return undefined;
}

/** Why it cannot be scaled. */
export function hindrance({ target, count }: ScaleState): string | undefined {
  if (count === undefined) {
    return `Failed to retrieve the available count for object ${described(target)}.`;
  }
  const { kind } = target;
  if (kind.kind === 'Job' || kind.isScalable) return undefined;
  return `Cannot perform scale on resource of kind ${kind.kind}`;
}

function described({ kind, name, namespace }: NamedTarget): string {
  return `kind=${kind.kind} name=${name} namespace=${namespace}`;
}

/** The object with another number. */
export function scaled({ target, object }: ScaleState, replicas: number): Json {
  return { ...object, spec: { ...memberOf(object, 'spec'), [fieldOf(target.kind)]: replicas } };
}

/** Whether as many replicas are ready as are wanted. */
export function isScaled(object: Json): boolean {
  if (!isReady(object, undefined)) return false;
  const kind = String(object['kind']);
  if (kind !== 'ReplicaSet' && kind !== 'ReplicationController') return true;
  const status = memberOf(object, 'status');
  const { generation } = memberOf(object, 'metadata');
  const wanted = memberOf(object, 'spec')['replicas'];
  return status['observedGeneration'] === generation && (status['readyReplicas'] ?? 0) === wanted;
}
