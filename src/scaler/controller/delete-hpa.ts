import type { ScaledObject } from '../resources/scaled-object.ts';
import type { ScalerCluster } from './ports.ts';

/** Deletes an HPA of that name where it is the object's. The cache may not show yet what was made just now. */
export async function deleteOwnHpa(
  { metadata }: ScaledObject,
  name: string,
  cluster: ScalerCluster,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = '', uid } = metadata;
  const hpa = cluster.hpa(namespace, name) ?? (await cluster.readHpa(namespace, name, signal));
  const isOurs = hpa?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
  if (isOurs) await cluster.deleteHpa(namespace, name, signal);
}
