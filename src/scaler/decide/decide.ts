/**
 * The operator's own part of scaling: between zero (or idle) and the least. Everything above is the HPA's.
 * Rows and order are those of KEDA's scale loop, but zero needs evidence: a source that cannot be read is not idle.
 */
import type { Finding } from '../resources/conditions.ts';
import type { ScaledObjectSpec } from '../resources/scaled-object.ts';

export interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly idle: number | undefined;
  readonly cooldownSeconds: number;
  readonly initialCooldownSeconds: number;
}

/** What all triggers together say. */
export interface Activity {
  readonly isActive: boolean;
  /** Some trigger could not be read. */
  readonly hasError: boolean;
  /** What to tell of the triggers that could not be read. */
  readonly errors: readonly string[];
  /** Names of the active metrics. */
  readonly activeMetrics: readonly string[];
}

export interface Situation {
  readonly bounds: Bounds;
  /** Replicas that the target is set to, or why they cannot be read. */
  readonly replicas: number | { readonly error: string };
  readonly activity: Activity;
  readonly isForced: boolean;
  readonly isPaused: boolean;
  readonly holdsScaleIn: boolean;
  readonly holdsScaleOut: boolean;
  /** Absent where there is no fallback. */
  readonly fallback: { readonly replicas: number; readonly isInForce: boolean } | undefined;
  /** Absent where it was never active. */
  readonly lastActiveMs: number | undefined;
  readonly createdMs: number;
  readonly nowMs: number;
}

export interface Decision {
  /** What to set the target's scale to; absent where nothing is to be done. */
  readonly replicas?: number;
  readonly action: 'activate' | 'deactivate' | 'raise' | 'none';
  /** The time of the last activity moves to now. */
  readonly isActivity: boolean;
  readonly findings: readonly Finding[];
  /** A sentence for people who ask why. */
  readonly reason: string;
  /** When a cooldown ends that is waited for, in milliseconds from now. */
  readonly cooldownLeftMs?: number;
}

const DEFAULTS = { min: 0, max: 100, cooldown: 300, initialCooldown: 0 } as const;

/** The bounds of a ScaledObject with the defaults that its schema does not hold. */
export function boundsOf(spec: ScaledObjectSpec): Bounds {
  return {
    min: spec.minReplicaCount ?? DEFAULTS.min,
    max: spec.maxReplicaCount ?? DEFAULTS.max,
    idle: spec.idleReplicaCount,
    cooldownSeconds: spec.cooldownPeriod ?? DEFAULTS.cooldown,
    initialCooldownSeconds: spec.initialCooldownPeriod ?? DEFAULTS.initialCooldown,
  };
}

/** Pure: what the operator does after one poll. */
export function decide(situation: Situation): Decision {
  const { replicas, isPaused, activity, isForced } = situation;
  if (typeof replicas !== 'number') return unreadable(replicas.error);
  if (isPaused) return rest([], 'It is paused.');
  if (activity.isActive || isForced) return whenActive(situation, replicas);
  return whenInactive(situation, replicas);
}

function unreadable(error: string): Decision {
  const message = `The replicas of the target cannot be read: ${error}`;
  return rest([ready('False', 'ErrorGettingCurrentReplicas', message)], message);
}

function whenActive(situation: Situation, replicas: number): Decision {
  const { bounds, activity, isForced, holdsScaleOut } = situation;
  const because = isForced ? 'an annotation forces it' : 'a trigger is active';
  const findings = [
    ...(activity.hasError ? [partialError(activity)] : [fine()]),
    active(
      'True',
      'ScalerActive',
      `Scaling is performed because ${isForced ? 'activation is being forced by annotation' : 'triggers are active'}`,
    ),
  ];
  const isBelowIdleBound = bounds.idle !== undefined && replicas < bounds.min;
  if (isBelowIdleBound || replicas === 0) {
    if (holdsScaleOut) return rest(findings, 'It is active, and scaling out is paused.');
    const wanted = Math.max(bounds.min, 1);
    return {
      replicas: wanted,
      action: 'activate',
      isActivity: true,
      findings,
      reason: `It goes from ${replicas} to ${wanted} because ${because}.`,
    };
  }
  if (activity.hasError && !isForced) return rest(findings, `It stays because ${because}.`);
  return { ...rest(findings, `It stays because ${because}; the HPA rules.`), isActivity: true };
}

function whenInactive(situation: Situation, replicas: number): Decision {
  const { bounds, activity, fallback } = situation;
  const findings = [
    activity.hasError ? triggerError(activity, fallback !== undefined) : fine(),
    active('False', 'ScalerNotActive', 'Scaling is not performed because triggers are not active'),
  ];
  if (activity.hasError && !mayActOnError(fallback)) {
    return rest(findings, 'It stays because a source cannot be read: that is no sign of idleness.');
  }
  const isAboveIdle = bounds.idle !== undefined && replicas > bounds.idle;
  if (isAboveIdle || (replicas > 0 && bounds.min === 0))
    return goIdle(situation, findings, replicas);
  if (bounds.idle === undefined && replicas < bounds.min) {
    return {
      replicas: bounds.min,
      action: 'raise',
      isActivity: false,
      findings,
      reason: `It goes from ${replicas} to ${bounds.min}, the least.`,
    };
  }
  return rest(findings, 'It stays: there is no work, and nothing to take away.');
}

/** Only a fallback of zero replicas that is in force says what to do without a reading. */
function mayActOnError(fallback: Situation['fallback']): boolean {
  return fallback?.replicas === 0 && fallback.isInForce;
}

function goIdle(situation: Situation, findings: readonly Finding[], replicas: number): Decision {
  const { bounds, holdsScaleIn } = situation;
  if (holdsScaleIn) return rest(findings, 'There is no work, and scaling in is paused.');
  const leftMs = cooldownLeftMs(situation);
  if (leftMs > 0) {
    const message = `Triggers are not active; the cooldown ends in ${Math.ceil(leftMs / 1000)} s`;
    const waiting = findings.map((finding) =>
      finding.type === 'Active'
        ? active('False', 'ScalerCooldown', 'Scaler cooling down because triggers are not active')
        : finding,
    );
    return { ...rest(waiting, `${message}.`), cooldownLeftMs: leftMs };
  }
  const wanted = bounds.idle ?? bounds.min;
  return {
    replicas: wanted,
    action: 'deactivate',
    isActivity: false,
    findings,
    reason: `It goes from ${replicas} to ${wanted} because there is no work and the cooldown is over.`,
  };
}

/** Milliseconds that are left of the cooldown, from the last activity or else from creation. */
function cooldownLeftMs({ bounds, lastActiveMs, createdMs, nowMs }: Situation): number {
  const endMs =
    lastActiveMs === undefined
      ? createdMs + bounds.initialCooldownSeconds * 1000
      : lastActiveMs + bounds.cooldownSeconds * 1000;
  return Math.max(0, endMs - nowMs);
}

function rest(findings: readonly Finding[], reason: string): Decision {
  return { action: 'none', isActivity: false, findings, reason };
}

function fine(): Finding {
  return ready(
    'True',
    'ScaledObjectReady',
    'ScaledObject is defined correctly and is ready for scaling',
  );
}

function partialError({ errors }: Activity): Finding {
  const message = `Some triggers defined in ScaledObject are not working correctly: ${errors.join('; ')}`;
  return ready('Unknown', 'PartialTriggerError', message);
}

function triggerError(activity: Activity, hasFallback: boolean): Finding {
  if (hasFallback) return partialError(activity);
  const errors = activity.errors.join('; ');
  const message = `Triggers defined in ScaledObject are not working correctly: ${errors}`;
  return ready('False', 'TriggerError', message);
}

function ready(status: Finding['status'], reason: string, message: string): Finding {
  return { type: 'Ready', status, reason, message };
}

function active(status: Finding['status'], reason: string, message: string): Finding {
  return { type: 'Active', status, reason, message };
}
