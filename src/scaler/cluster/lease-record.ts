import type { ObjectMeta } from '../../kubernetes/objects.ts';
import { renderMicroTime } from './micro-time.ts';

/** A Lease of coordination.k8s.io/v1. */
export interface Lease {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: ObjectMeta;
  readonly spec?: LeaseSpec | undefined;
}

export interface LeaseSpec {
  readonly holderIdentity?: string | undefined;
  readonly leaseDurationSeconds?: number | undefined;
  /** With microseconds, as the API wants it. */
  readonly acquireTime?: string | undefined;
  readonly renewTime?: string | undefined;
  readonly leaseTransitions?: number | undefined;
}

/**
 * The record with which a candidate takes the lease or keeps it. Its times are for people: nobody decides by the clock
 * of another machine.
 */
export function claim(
  old: LeaseSpec | undefined,
  identity: string,
  { durationMs, wallMs }: { readonly durationMs: number; readonly wallMs: number },
): LeaseSpec {
  const now = renderMicroTime(wallMs);
  const isMine = old?.holderIdentity === identity;
  const transitions = old?.leaseTransitions ?? 0;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    acquireTime: (isMine && old.acquireTime) || now,
    renewTime: now,
    leaseTransitions: isMine || old === undefined ? transitions : transitions + 1,
  };
}

/** The record of a lease that its holder gives back: anybody may take it at once. */
export function release(old: LeaseSpec, wallMs: number): LeaseSpec {
  const renewTime = renderMicroTime(wallMs);
  return { ...old, holderIdentity: '', leaseDurationSeconds: 1, renewTime };
}
