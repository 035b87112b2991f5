/** Conditions that follow from what was found, beside those of the decision itself. */
import { validFallback } from '../decide/fallback.ts';
import type { Judgement } from '../decide/judge.ts';
import type { Pause } from '../decide/pause.ts';
import { type Condition, type Finding, statusOf } from '../resources/conditions.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { StoredHpa } from './ports.ts';

const unknown = (type: string): Finding => ({
  type,
  status: 'Unknown',
  reason: 'Unknown',
  message: 'Nothing is known yet',
});

/** Of an object that was never seen before. */
export const initialFindings: readonly Finding[] = [
  unknown('Ready'),
  unknown('Active'),
  unknown('Fallback'),
  {
    type: 'Paused',
    status: 'False',
    reason: 'ScaledObjectUnpaused',
    message: 'Pause annotation is not set',
  },
];

export const pausedReady: Finding = {
  type: 'Ready',
  status: 'True',
  reason: 'ScaledObjectReady',
  message: 'ScaledObject is paused',
};

/** A reconcile that failed. */
export function failureFindings(error: Error): readonly Finding[] {
  return [
    { type: 'Ready', status: 'False', reason: 'ScaledObjectCheckFailed', message: error.message },
    {
      type: 'Active',
      status: 'Unknown',
      reason: 'UnknownState',
      message: 'ScaledObject check failed',
    },
  ];
}

/** What there is to say of a pause: nothing of an object that was not paused and is not now. */
export function pauseFindings(
  pause: Pause,
  before: readonly Condition[] | undefined,
): readonly Finding[] {
  if (pause.isPaused || pause.holdsScaleIn || pause.holdsScaleOut) return [pausedFinding(pause)];
  if (statusOf(before, 'Paused') !== 'True') return [];
  return [
    {
      type: 'Paused',
      status: 'False',
      reason: 'ScaledObjectUnpaused',
      message: 'pause annotation removed for ScaledObject',
    },
  ];
}

function pausedFinding({ isPaused, replicas, holdsScaleIn, holdsScaleOut }: Pause): Finding {
  const held = [holdsScaleIn && 'scaling in', holdsScaleOut && 'scaling out'].filter(Boolean);
  const message = isPaused
    ? `ScaledObject is paused${replicas === undefined ? '' : ` at ${replicas} replicas`}`
    : `ScaledObject is paused for ${held.join(' and ')}`;
  return { type: 'Paused', status: 'True', reason: 'ScaledObjectPaused', message };
}

/** That no fallback is in force, where there is none that could be. */
export function noFallbackFindings({ spec }: ScaledObject): readonly Finding[] {
  return validFallback(spec) === undefined ? [fallbackFinding({ isFallback: false })] : [];
}

export function fallbackFinding({ isFallback }: Pick<Judgement, 'isFallback'>): Finding {
  if (isFallback) {
    return {
      type: 'Fallback',
      status: 'True',
      reason: 'FallbackExists',
      message: 'At least one trigger is falling back on this scaled object',
    };
  }
  return {
    type: 'Fallback',
    status: 'False',
    reason: 'NoFallbackFound',
    message: 'No fallbacks are active on this scaled object',
  };
}

/** What the HPA says of itself; nothing before it has said anything. */
export function hpaFinding(hpa: StoredHpa | undefined): readonly Finding[] {
  const active = hpa?.status?.conditions?.find(({ type }) => type === 'ScalingActive');
  if (active === undefined) return [];
  const message = active.message ?? '';
  if (active.status === 'True') {
    return [{ type: 'HPAActive', status: 'True', reason: 'HPAActive', message }];
  }
  if (active.reason === 'ScalingDisabled') {
    return [{ type: 'HPAActive', status: 'True', reason: 'ScalingDisabled', message }];
  }
  const reason = active.reason ?? 'HPAMetricsUnavailable';
  return [{ type: 'HPAActive', status: 'False', reason, message }];
}

/** Whether a condition has just come to hold, or to hold no more. */
export function hasTurned(
  type: string,
  status: Condition['status'],
  before: readonly Condition[] | undefined,
  after: readonly Condition[] | undefined,
): boolean {
  return statusOf(after, type) === status && statusOf(before, type) !== status;
}
