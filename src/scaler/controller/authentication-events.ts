/** Kubernetes events about authentications. */
import type { Names } from '../names.ts';
import type { TriggerAuthentication } from '../resources/trigger-authentication.ts';
import type { ScalerCluster } from './ports.ts';
import { normal } from './reports.ts';

/** What became of an authentication, as the cache has seen it. */
export interface AuthenticationChange {
  readonly old: TriggerAuthentication | undefined;
  readonly new: TriggerAuthentication | undefined;
}

interface Reporting {
  readonly cluster: Pick<ScalerCluster, 'report'>;
  readonly names: Names;
  /** Those made before this time were told of by whoever led then. */
  readonly sinceMs: number;
}

/** Tells of an authentication that is new, or whose spec has changed. */
export function reportAuthentication(
  { old, new: now }: AuthenticationChange,
  { cluster, names, sinceMs }: Reporting,
): void {
  if (now === undefined) return;
  const { kind, metadata } = now;
  if (old === undefined) {
    const isNew = Date.parse(metadata.creationTimestamp ?? '') >= sinceMs;
    if (isNew) cluster.report(now, normal(`${kind}Added`, `New ${kind} configured`));
    return;
  }
  if (old.metadata.generation === metadata.generation) return;
  const told = kind === 'TriggerAuthentication' ? names.updatedAuthentication : kind;
  cluster.report(now, normal(`${told}Updated`, `${told} ${metadata.name} is updated`));
}
