/**
 * The algorithm of the HorizontalPodAutoscaler (autoscaling/v2) as a pure state machine: what Kubernetes' controller
 * does in one sync, by its documentation and its behaviour.
 */
import { parseQuantity } from '../../shared/quantity.ts';
import type { HpaBehavior } from '../resources/hpa-behavior.ts';
import { type HpaMetric, proposalOf, type Tolerance } from './hpa-metrics.ts';
import {
  limitByRates,
  rulesOf,
  type ScaleEvent,
  stabilizeByRules,
  withEvent,
} from './hpa-rules.ts';

export interface HpaSpec {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly metrics: readonly HpaMetric[];
  /** Without it the controller follows older rules: doubling or 4, and the window for scaling in. */
  readonly behavior?: HpaBehavior | undefined;
}

/** What the controller is started with. */
export interface HpaController {
  /** `--horizontal-pod-autoscaler-downscale-stabilization`. */
  readonly downscaleStabilizationMs: number;
  /** `--horizontal-pod-autoscaler-tolerance`. */
  readonly tolerance: number;
  /** `--horizontal-pod-autoscaler-sync-period`. */
  readonly syncPeriodMs: number;
}

export const DEFAULT_CONTROLLER: HpaController = {
  downscaleStabilizationMs: 300_000,
  tolerance: 0.1,
  syncPeriodMs: 15_000,
};

/** A number of replicas that the metrics asked for, before any limit. */
export interface Recommendation {
  readonly atMs: number;
  readonly replicas: number;
}

/** What the controller remembers of one HPA. */
export interface HpaState {
  readonly recommendations: readonly Recommendation[];
  readonly scaleUps: readonly ScaleEvent[];
  readonly scaleDowns: readonly ScaleEvent[];
}

export const NEW_HPA: HpaState = { recommendations: [], scaleUps: [], scaleDowns: [] };

export interface HpaObservation {
  readonly nowMs: number;
  /** `spec.replicas` of the target's scale. */
  readonly specReplicas: number;
  /** `status.replicas` of the target's scale. */
  readonly statusReplicas: number;
  readonly readyReplicas: number;
  /** One for each metric; undefined where it cannot be read. */
  readonly values: readonly (number | undefined)[];
}

export type HpaReason =
  | 'ScalingDisabled'
  | 'TooManyReplicas'
  | 'TooFewReplicas'
  | 'MetricsUnavailable'
  | 'DesiredByMetrics'
  | 'ScaleDownStabilized'
  | 'ScaleUpStabilized'
  | 'ScaleUpLimit'
  | 'ScaleDownLimit';

export interface HpaDecision {
  readonly replicas: number;
  readonly reason: HpaReason;
  /** What each metric asked for. */
  readonly proposals: readonly (number | undefined)[];
  readonly state: HpaState;
}

/** One sync of the controller. */
export function syncHpa(
  spec: HpaSpec,
  state: HpaState,
  seen: HpaObservation,
  controller: HpaController = DEFAULT_CONTROLLER,
): HpaDecision {
  const { specReplicas: current, nowMs } = seen;
  const started =
    state.recommendations.length === 0
      ? { ...state, recommendations: [{ atMs: nowMs, replicas: current }] }
      : state;
  const fixed = withoutMetrics(spec, current);
  if (fixed !== undefined) return settle(spec, started, seen, { ...fixed, proposals: [] });
  const tolerance = toleranceOf(spec.behavior, controller.tolerance);
  const proposals = spec.metrics.map((metric, index) =>
    proposalOf(metric, seen.values[index], seen, tolerance),
  );
  const known = proposals.filter((proposal) => proposal !== undefined);
  const wanted = Math.max(0, ...known);
  // A metric that is missing might ask for more: then only growth is certain.
  if (known.length === 0 || (known.length < proposals.length && wanted < current)) {
    return { replicas: current, reason: 'MetricsUnavailable', proposals, state: started };
  }
  const step = { spec, state: started, seen, controller, wanted };
  const limited = spec.behavior === undefined ? limitClassic(step) : limitByBehavior(step);
  const recommendations = [
    ...recent(started.recommendations, spec, controller, nowMs),
    { atMs: nowMs, replicas: wanted },
  ];
  return settle(spec, { ...started, recommendations }, seen, { ...limited, proposals });
}

interface Step {
  readonly spec: HpaSpec;
  readonly state: HpaState;
  readonly seen: HpaObservation;
  readonly controller: HpaController;
  /** What the metrics ask for. */
  readonly wanted: number;
}
type Limited = Pick<HpaDecision, 'replicas' | 'reason'>;

/** The cases in which metrics do not matter. */
function withoutMetrics(spec: HpaSpec, current: number): Limited | undefined {
  if (current === 0 && spec.minReplicas !== 0) return { replicas: 0, reason: 'ScalingDisabled' };
  if (current > spec.maxReplicas) return { replicas: spec.maxReplicas, reason: 'TooManyReplicas' };
  if (current < spec.minReplicas) return { replicas: spec.minReplicas, reason: 'TooFewReplicas' };
  return undefined;
}

/** Rules of an HPA without `behavior`: the highest of five minutes, and at most twice as many or 4. */
function limitClassic({ spec, state, seen, controller, wanted }: Step): Limited {
  const cutoffMs = seen.nowMs - controller.downscaleStabilizationMs;
  const looked = state.recommendations.filter(({ atMs }) => atMs >= cutoffMs);
  const stabilized = Math.max(wanted, ...looked.map(({ replicas }) => replicas));
  const scaleUpLimit = Math.max(2 * seen.specReplicas, 4);
  const most = Math.min(spec.maxReplicas, scaleUpLimit);
  if (stabilized > most) {
    return {
      replicas: most,
      reason: most === spec.maxReplicas ? 'TooManyReplicas' : 'ScaleUpLimit',
    };
  }
  if (stabilized < spec.minReplicas)
    return { replicas: spec.minReplicas, reason: 'TooFewReplicas' };
  return {
    replicas: stabilized,
    reason: stabilized > wanted ? 'ScaleDownStabilized' : 'DesiredByMetrics',
  };
}

function limitByBehavior({ spec, state, seen, controller, wanted }: Step): Limited {
  const rules = rulesOf(spec.behavior ?? {}, controller.downscaleStabilizationMs);
  const current = seen.specReplicas;
  const past = state.recommendations;
  const stabilized = stabilizeByRules(rules, past, { wanted, current, nowMs: seen.nowMs });
  const rated = limitByRates(rules, state, { wanted: stabilized, current, nowMs: seen.nowMs });
  const replicas = Math.min(Math.max(rated, spec.minReplicas), spec.maxReplicas);
  if (replicas > rated) return { replicas, reason: 'TooFewReplicas' };
  if (replicas < rated) return { replicas, reason: 'TooManyReplicas' };
  if (rated < stabilized) return { replicas, reason: 'ScaleUpLimit' };
  if (rated > stabilized) return { replicas, reason: 'ScaleDownLimit' };
  if (stabilized === wanted) return { replicas, reason: 'DesiredByMetrics' };
  const reason = stabilized > wanted ? 'ScaleDownStabilized' : 'ScaleUpStabilized';
  return { replicas, reason };
}

/** Remembers the change, where there is one and rates are limited. */
function settle(
  spec: HpaSpec,
  state: HpaState,
  { specReplicas, nowMs }: HpaObservation,
  decision: Omit<HpaDecision, 'state'>,
): HpaDecision {
  if (spec.behavior === undefined || decision.replicas === specReplicas) {
    return { ...decision, state };
  }
  const change = { atMs: nowMs, replicas: Math.abs(decision.replicas - specReplicas) };
  const isUp = decision.replicas > specReplicas;
  const { scaleUp, scaleDown } = rulesOf(spec.behavior, 0);
  return {
    ...decision,
    state: isUp
      ? { ...state, scaleUps: withEvent(state.scaleUps, change, scaleUp) }
      : { ...state, scaleDowns: withEvent(state.scaleDowns, change, scaleDown) },
  };
}

/** Those that any window may still look at. */
function recent(
  recommendations: readonly Recommendation[],
  { behavior }: HpaSpec,
  { downscaleStabilizationMs }: HpaController,
  nowMs: number,
): readonly Recommendation[] {
  const { scaleUp, scaleDown } = rulesOf(behavior ?? {}, downscaleStabilizationMs);
  const longestMs = Math.max(scaleUp.windowMs, scaleDown.windowMs, downscaleStabilizationMs);
  return recommendations.filter(({ atMs }) => atMs >= nowMs - longestMs);
}

function toleranceOf(behavior: HpaBehavior | undefined, general: number): Tolerance {
  const own = (text = '') => parseQuantity(text) ?? general;
  return { up: own(behavior?.scaleUp?.tolerance), down: own(behavior?.scaleDown?.tolerance) };
}
