import { type Reader, TaskError } from '../../../engine/module.ts';
import { ApiError, ApiUnreachable } from '../../../kubernetes/api-error.ts';
import type { Cluster } from './cluster.ts';
import { clusterError } from './cluster-error.ts';
import type { K8sArgs } from './k8s-args.ts';
import type { Target } from './target.ts';

/** What all objects of a task have in common. */
export interface Scene {
  readonly reader: Reader;
  readonly cluster: Cluster;
  readonly args: K8sArgs;
}

/** The error of one object for the operator; what concerns the whole cluster is thrown. */
export async function failureOf(
  { cluster, args }: Pick<Scene, 'cluster' | 'args'>,
  error: unknown,
  verb: string,
  target: Target,
): Promise<TaskError> {
  const told = await clusterError(error, cluster);
  if (!(told instanceof TaskError) || !isOfObject(told)) throw told;
  if (!(error instanceof ApiError)) return told;
  const isInvalid = args.validate !== undefined && [400, 422].includes(error.code);
  const { kind, name } = target;
  const prefix = isInvalid ? `${kind.kind} ${name}` : `Failed to ${verb} object`;
  const { hint, result, cause } = told;
  return new TaskError(`${prefix}: ${told.message}`, { hint, result, cause });
}

/** Whether an error is one object's alone, not that of the whole cluster: it is away, or does not know us. */
export function isOfObject({ cause, result }: TaskError): boolean {
  return !(cause instanceof ApiUnreachable) && result['status'] !== 401;
}
