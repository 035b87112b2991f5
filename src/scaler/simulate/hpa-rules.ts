/** Stabilisation windows and scaling policies: `behavior` of a HorizontalPodAutoscaler. */
import type { HpaBehavior, HpaScalingRules } from '../resources/hpa-behavior.ts';

type Policy = NonNullable<HpaScalingRules['policies']>[number];

interface Rules {
  readonly windowMs: number;
  readonly select: 'Max' | 'Min' | 'Disabled';
  readonly policies: readonly Policy[];
}
interface BothRules {
  readonly scaleUp: Rules;
  readonly scaleDown: Rules;
}

/** A change of the number of replicas, without its sign. */
export interface ScaleEvent {
  readonly atMs: number;
  readonly replicas: number;
}

interface Wish {
  readonly wanted: number;
  readonly current: number;
  readonly nowMs: number;
}

const FOUR_PODS: Policy = { type: 'Pods', value: 4, periodSeconds: 15 };
const ALL: Policy = { type: 'Percent', value: 100, periodSeconds: 15 };

/** The rules with their defaults: at once and 4 pods or all again in 15 s out, the window and all at once in. */
export function rulesOf(behavior: HpaBehavior, downscaleStabilizationMs: number): BothRules {
  const fill = (rules: HpaScalingRules = {}, windowMs: number, policies: readonly Policy[]) => ({
    windowMs:
      rules.stabilizationWindowSeconds === undefined
        ? windowMs
        : rules.stabilizationWindowSeconds * 1000,
    select: rules.selectPolicy ?? 'Max',
    policies: rules.policies ?? policies,
  });
  return {
    scaleUp: fill(behavior.scaleUp, 0, [FOUR_PODS, ALL]),
    scaleDown: fill(behavior.scaleDown, downscaleStabilizationMs, [ALL]),
  };
}

/** Out only as far as all recommendations of its window ask for, in only as far as all of its own allow. */
export function stabilizeByRules(
  { scaleUp, scaleDown }: BothRules,
  recommendations: readonly ScaleEvent[],
  { wanted, current, nowMs }: Wish,
): number {
  const within = (windowMs: number) =>
    recommendations.filter(({ atMs }) => atMs > nowMs - windowMs).map(({ replicas }) => replicas);
  const up = Math.min(wanted, ...within(scaleUp.windowMs));
  const down = Math.max(wanted, ...within(scaleDown.windowMs));
  return Math.min(Math.max(current, up), down);
}

/** The wish, held back by the policies of its direction. */
export function limitByRates(
  { scaleUp, scaleDown }: BothRules,
  past: { readonly scaleUps: readonly ScaleEvent[]; readonly scaleDowns: readonly ScaleEvent[] },
  { wanted, current, nowMs }: Wish,
): number {
  /** How many there were when the period of a policy began. */
  const before = ({ periodSeconds }: Policy) =>
    current -
    changed(past.scaleUps, periodSeconds, nowMs) +
    changed(past.scaleDowns, periodSeconds, nowMs);
  if (wanted > current) {
    const limits = scaleUp.policies.map((policy) => grown(before(policy), policy));
    const choose = scaleUp.select === 'Min' ? Math.min : Math.max;
    const limit = scaleUp.select === 'Disabled' ? current : choose(...limits);
    return Math.min(wanted, Math.max(limit, current));
  }
  if (wanted < current) {
    const limits = scaleDown.policies.map((policy) => shrunk(before(policy), policy));
    // The policy that allows the least change leaves the most replicas.
    const choose = scaleDown.select === 'Min' ? Math.max : Math.min;
    const limit = scaleDown.select === 'Disabled' ? current : choose(...limits);
    return Math.max(wanted, Math.min(limit, current));
  }
  return wanted;
}

/** The events with one more, without those that no policy looks back to. */
export function withEvent(
  events: readonly ScaleEvent[],
  event: ScaleEvent,
  { policies }: Rules,
): readonly ScaleEvent[] {
  const longestMs = Math.max(0, ...policies.map(({ periodSeconds }) => periodSeconds)) * 1000;
  return [...events.filter(({ atMs }) => atMs > event.atMs - longestMs), event];
}

function changed(events: readonly ScaleEvent[], periodSeconds: number, nowMs: number): number {
  const cutoffMs = nowMs - periodSeconds * 1000;
  return events
    .filter(({ atMs }) => atMs > cutoffMs)
    .reduce((sum, { replicas }) => sum + replicas, 0);
}

/** Computed as the controller does, rounding errors included: 10 % more than 50 are 56. */
function grown(replicas: number, { type, value }: Policy): number {
  return type === 'Pods' ? replicas + value : Math.ceil(replicas * (1 + value / 100));
}

function shrunk(replicas: number, { type, value }: Policy): number {
  return type === 'Pods' ? replicas - value : Math.trunc(replicas * (1 - value / 100));
}
