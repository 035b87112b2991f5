/** Pods as the API server writes them, and what is asked of them. */
import type { KubeObject, Resource } from '../../kubernetes/objects.ts';
import type { Pod } from '../trigger.ts';

export const PODS: Resource = { group: '', version: 'v1', resource: 'pods' };

export interface PodObject extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export function asPod({ metadata, spec, status }: PodObject): Pod {
  return {
    name: metadata.name,
    phase: status?.phase ?? 'Unknown',
    isReady: holding(status).includes('Ready'),
    nodeName: spec?.nodeName,
  };
}

/** Types of the conditions that hold. */
export function holding(status: PodObject['status']): readonly string[] {
  return (status?.conditions ?? []).flatMap(({ type, status: is }) =>
    is === 'True' ? [type] : [],
  );
}
