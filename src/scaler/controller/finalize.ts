/** What is done before a ScaledObject goes, and while it is paused. The HPA of one that goes is collected as garbage. */

import { hpaNameOf } from '../decide/hpa.ts';
import type { Pause } from '../decide/pause.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import { deleteOwnHpa } from './delete-hpa.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { normal, warning } from './reports.ts';

/** Puts the replicas back where that is asked for, and lets the object go. */
export async function finalizeScaledObject(
  object: ScaledObject,
  { cluster, names }: ControllerDependencies,
  signal: AbortSignal,
): Promise<void> {
  if (object.metadata.finalizers?.includes(names.finalizer) !== true) return;
  if (object.spec.advanced?.restoreToOriginalReplicaCount === true) {
    await restoreReplicas(object, cluster, signal);
  }
  await cluster.releaseFinalizer(object, signal);
  cluster.report(object, normal('ScaledObjectDeleted', 'ScaledObject was deleted'));
}

/** Takes the HPA away, and holds the replicas that the pause names. */
export async function enforcePause(
  object: ScaledObject,
  { replicas }: Pause,
  { cluster, names }: ControllerDependencies,
  signal: AbortSignal,
): Promise<void> {
  await deleteOwnHpa(object, object.status?.hpaName ?? hpaNameOf(object, names), cluster, signal);
  if (replicas === undefined) return;
  const { namespace = '' } = object.metadata;
  const { apiVersion = 'apps/v1', kind = 'Deployment', name: target } = object.spec.scaleTargetRef;
  const targetKind = await cluster.targetKind(apiVersion, kind);
  const { replicas: current } = await cluster.target(targetKind, namespace, target, signal);
  if (current !== replicas) {
    await cluster.setReplicas(targetKind, namespace, target, { to: replicas }, signal);
  }
}

/** A target that is gone or cannot be set must not keep the ScaledObject from going. */
async function restoreReplicas(
  object: ScaledObject,
  cluster: ControllerDependencies['cluster'],
  signal: AbortSignal,
): Promise<void> {
  const { scaleTargetGVKR: kind, originalReplicaCount } = object.status ?? {};
  if (kind === undefined || originalReplicaCount === undefined) return;
  const { namespace = '' } = object.metadata;
  const { name } = object.spec.scaleTargetRef;
  try {
    const change = { to: originalReplicaCount };
    await cluster.setReplicas(kind, namespace, name, change, signal);
  } catch (error) {
    signal.throwIfAborted();
    const message = `The replicas could not be set back to ${originalReplicaCount}: ${(error as Error).message}`;
    cluster.report(object, warning('ScaledObjectUpdateFailed', message));
  }
}
