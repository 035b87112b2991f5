/** What annotations say about pausing and forcing. */

import type { ObjectMeta } from '../../kubernetes/objects.ts';
import { keysOf, type Names } from '../names.ts';

export interface Pause {
  /** Neither the operator nor the HPA scales. */
  readonly isPaused: boolean;
  /** The replicas to hold meanwhile. */
  readonly replicas: number | undefined;
  readonly holdsScaleIn: boolean;
  readonly holdsScaleOut: boolean;
  readonly isForced: boolean;
  /** What annotations hold that nobody can read. */
  readonly problems: readonly string[];
}

/** Reads the annotations. A flag that is no boolean counts as set, as KEDA has it: whoever wrote it meant something. */
export function pauseOf({ annotations = {} }: ObjectMeta, names: Names): Pause {
  const keys = keysOf(names);
  const flag = (key: string) => key in annotations && !isFalse(annotations[key] ?? '');
  const replicas = annotations[keys.pausedReplicas];
  const count = replicas === undefined ? undefined : replicaCount(replicas);
  return {
    isPaused: replicas !== undefined || flag(keys.paused),
    replicas: count,
    holdsScaleIn: flag(keys.pausedScaleIn),
    holdsScaleOut: flag(keys.pausedScaleOut),
    isForced: flag(keys.forceActivation),
    problems:
      replicas !== undefined && count === undefined
        ? [`annotation ${keys.pausedReplicas} must be a whole number and not "${replicas}"`]
        : [],
  };
}

function isFalse(text: string): boolean {
  return /^(?:0|f|F|false|False|FALSE)$/.test(text);
}

function replicaCount(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
