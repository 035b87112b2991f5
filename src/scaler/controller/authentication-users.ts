/** Keeps in the status of each authentication who uses it. */
import type { Result } from '../cluster/work-queue.ts';
import type { Names } from '../names.ts';
import type {
  AuthenticationStatus,
  TriggerAuthentication,
} from '../resources/trigger-authentication.ts';
import type { TriggerSpec } from '../resources/triggers.ts';
import type { ScalerCluster } from './ports.ts';

/** An object with triggers. */
interface User {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly spec: { readonly triggers: readonly TriggerSpec[] };
}

/** `<kind>/<namespace>/<name>` of every authentication that an object refers to. */
export function authenticationsOf({ metadata, spec }: User): readonly string[] {
  return spec.triggers.flatMap(({ authenticationRef: ref }) => {
    if (ref === undefined) return [];
    const kind = ref.kind ?? 'TriggerAuthentication';
    return [`${kind}/${kind === 'TriggerAuthentication' ? metadata.namespace : ''}/${ref.name}`];
  });
}

/** The status that an authentication has to have. Names alone, as KEDA writes them. */
export function statusOfAuthentication(
  key: string,
  scaledObjects: readonly User[],
  scaledJobs: readonly User[],
): AuthenticationStatus {
  const namesOf = (users: readonly User[]) =>
    users
      .filter((user) => authenticationsOf(user).includes(key))
      .map(({ metadata }) => metadata.name)
      .sort()
      .join(',');
  const [objects, jobs] = [namesOf(scaledObjects), namesOf(scaledJobs)];
  return {
    ...(objects !== '' && { scaledobjects: objects }),
    ...(jobs !== '' && { scaledjobs: jobs }),
  };
}

/**
 * Brings the status of one authentication up to date. One that is being deleted is let go: KEDA leaves its finalizer on
 * authentications, and nobody else would take it away.
 * @param key `<kind>/<namespace>/<name>`.
 */
export async function recordUsers(
  key: string,
  cluster: ScalerCluster,
  names: Names,
  signal: AbortSignal,
): Promise<Result> {
  const [kind = '', namespace = '', name = ''] = key.split('/');
  if (kind !== 'TriggerAuthentication' && kind !== 'ClusterTriggerAuthentication') return {};
  const found = await cluster.authentication(kind, namespace, name);
  if (found === undefined) return {};
  if (found.metadata.deletionTimestamp !== undefined) {
    const isHeld = found.metadata.finalizers?.includes(names.finalizer) === true;
    if (isHeld) await cluster.releaseFinalizer(found, signal);
    return {};
  }
  const wanted = statusOfAuthentication(key, cluster.scaledObjects(), cluster.scaledJobs());
  if (isSame(found, wanted)) return {};
  await cluster.patchStatus(found, found.status, wanted, signal);
  return {};
}

function isSame({ status = {} }: TriggerAuthentication, wanted: AuthenticationStatus): boolean {
  return status.scaledobjects === wanted.scaledobjects && status.scaledjobs === wanted.scaledjobs;
}
