/** How many Jobs a ScaledJob starts. */
import type { ScaledJobSpec } from '../resources/scaled-job.ts';

/** What one trigger of a ScaledJob said. */
export interface QueueReading {
  readonly length: number;
  /** What one Job is expected to take. */
  readonly target: number;
  readonly isActive: boolean;
}

export interface JobBounds {
  readonly min: number;
  /** Jobs above the least that may run at once. */
  readonly cap: number;
}

export interface Queue {
  readonly isActive: boolean;
  /** Jobs that the length alone asks for. */
  readonly scaleTo: number;
  /** Jobs that the length and the target ask for. */
  readonly maxScale: number;
}

export interface JobCounts {
  /** Jobs that have not ended. */
  readonly running: number;
  /** Jobs of these that no pod works on yet. */
  readonly pending: number;
}

const DEFAULT_MAX = 100;

export function jobBoundsOf({ minReplicaCount = 0, maxReplicaCount }: ScaledJobSpec): JobBounds {
  if (maxReplicaCount === undefined) return { min: minReplicaCount, cap: DEFAULT_MAX };
  const min = Math.min(minReplicaCount, maxReplicaCount);
  return { min, cap: maxReplicaCount - min };
}

type Calculation = NonNullable<ScaledJobSpec['scalingStrategy']>['multipleScalersCalculation'];

/** One queue out of the readings of all triggers; those that are not active do not count. */
export function combineQueues(
  readings: readonly QueueReading[],
  { min, cap }: JobBounds,
  calculation: Calculation = 'max',
): Queue {
  const active = readings
    .filter(({ isActive }) => isActive)
    .map(({ length, target }) => ({
      length,
      scale: target > 0 ? Math.min(length / target, cap) : 0,
    }));
  const { length, scale } = combine(active, calculation);
  const isActive = calculation === 'max' || calculation === 'min' ? length > 0 : active.length > 0;
  return {
    isActive: isActive || min > 0,
    scaleTo: Math.ceil(length),
    maxScale: Math.ceil(Math.min(scale, cap)),
  };
}

interface Amount {
  readonly length: number;
  readonly scale: number;
}

const NOTHING: Amount = { length: 0, scale: 0 };

function combine(amounts: readonly Amount[], calculation: Calculation): Amount {
  const filled = amounts.filter(({ length }) => length > 0);
  const total = amounts.reduce(
    (sum, { length, scale }) => ({ length: sum.length + length, scale: sum.scale + scale }),
    NOTHING,
  );
  switch (calculation) {
    case 'min':
      return filled.reduce((a, b) => (b.length < a.length ? b : a), filled[0] ?? NOTHING);
    case 'avg':
      if (amounts.length === 0) return NOTHING;
      return { length: total.length / amounts.length, scale: total.scale / amounts.length };
    case 'sum':
      return total;
    default:
      return filled.reduce((a, b) => (b.length > a.length ? b : a), NOTHING);
  }
}

/** Jobs to start now. */
export function jobsToStart(
  queue: Queue,
  counts: JobCounts,
  bounds: JobBounds,
  strategy: ScaledJobSpec['scalingStrategy'],
): number {
  if (counts.running < bounds.min) return bounds.min - counts.running;
  if (!queue.isActive) return 0;
  const running = counts.running - bounds.min;
  const { limit, wanted } = applyStrategy(
    { ...queue, ...counts, running, cap: bounds.cap },
    strategy,
  );
  return Math.max(0, Math.min(wanted, limit));
}

interface StrategyInput extends Queue, JobCounts {
  readonly cap: number;
}

/** The most Jobs that the strategy lets start, and how many are wanted. */
function applyStrategy(
  input: StrategyInput,
  strategy: ScaledJobSpec['scalingStrategy'],
): { readonly limit: number; readonly wanted: number } {
  const { scaleTo, maxScale, running, pending, cap } = input;
  const share = Number(strategy?.customScalingRunningJobPercentage || Number.NaN);
  switch (strategy?.strategy) {
    case 'custom': {
      if (Number.isNaN(share)) break;
      const deduction = strategy.customScalingQueueLengthDeduction ?? 0;
      const limit = maxScale - deduction - Math.trunc(running * share);
      return { limit: Math.min(limit, cap), wanted: scaleTo };
    }
    case 'accurate': {
      const isOverCap = maxScale + running - pending > cap;
      return { limit: isOverCap ? cap - running : maxScale - pending, wanted: scaleTo };
    }
    case 'eager':
      return { limit: Math.min(cap - running - pending, maxScale), wanted: cap };
    default:
  }
  return { limit: maxScale - running, wanted: scaleTo };
}
