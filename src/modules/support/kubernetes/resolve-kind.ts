import type { ServedKind } from '../../../kubernetes/served-kind.ts';
import { clusterError } from './cluster-error.ts';
import { type Json, textOf } from './json.ts';
import type { Scene } from './object-failure.ts';
import { pendingKind } from './pending.ts';

/**
 * The kind of an object; one that the cluster does not serve yet may be `pending`: defined by what is written before.
 * Throws TaskError where there is none.
 */
export async function resolveKind(
  { cluster }: Scene,
  definition: Json,
  known: readonly Json[],
): Promise<{ readonly kind: ServedKind; readonly isPending: boolean }> {
  const apiVersion = textOf(definition, 'apiVersion') ?? 'v1';
  const word = String(definition['kind']);
  try {
    return { kind: await cluster.discovery.lookUp(apiVersion, word), isPending: false };
  } catch (error) {
    const kind = pendingKind(known, apiVersion, word);
    if (kind !== undefined) return { kind, isPending: true };
    throw await clusterError(error, cluster);
  }
}
