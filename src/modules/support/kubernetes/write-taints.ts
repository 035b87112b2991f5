import { retryOnConflict } from '../../../kubernetes/conflict.ts';
import type { Cluster } from './cluster.ts';
import { type Json, memberOf, textOf } from './json.ts';

export const NODES = { group: '', version: 'v1', resource: 'nodes' };

/**
 * Gives a node the taints that `wanted` decides on; it is asked again with the node as it is then where somebody has written
 * meanwhile. Nodes are written all the time, by their kubelet and by the controllers.
 * @returns the node as the API server has it.
 */
export async function writeTaints(
  { client }: Cluster,
  node: Json,
  wanted: (node: Json) => readonly Json[],
): Promise<Json> {
  const name = textOf(memberOf(node, 'metadata'), 'name');
  const path = { ...NODES, name };
  let seen: Json | undefined = node;
  return retryOnConflict(async () => {
    const now = seen ?? (await client.get<Json>(path));
    seen = undefined;
    const { resourceVersion } = memberOf(now, 'metadata');
    // With the version: the list is replaced whole, and what others have added meanwhile must not be lost.
    const patch = { metadata: { resourceVersion }, spec: { taints: wanted(now) } };
    return client.patch<Json>(path, 'merge', patch);
  });
}
