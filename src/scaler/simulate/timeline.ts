/** Replicas of a ScaledObject over time: what the operator and the HPA would do with given values. */
import { compileComposite } from '../controller/prepare.ts';
import { boundsOf, decide } from '../decide/decide.ts';
import { type Health, validFallback } from '../decide/fallback.ts';
import { type Composite, type JudgedReading, type Judgement, judge } from '../decide/judge.ts';
import { type Pause, pauseOf } from '../decide/pause.ts';
import type { Names } from '../names.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { AnyTrigger } from '../trigger.ts';
import { type HpaController, type HpaState, NEW_HPA, syncHpa } from './hpa.ts';
import type { HpaMetric } from './hpa-metrics.ts';
import { Replicas } from './replicas.ts';
import { type Series, valuesAt } from './series.ts';
import { type SimulatedTrigger, simulatedTriggers } from './subject.ts';

export interface Simulation {
  readonly object: ScaledObject;
  readonly triggers: Readonly<Record<string, AnyTrigger>>;
  readonly names: Names;
  readonly series: Series;
  readonly controller: HpaController;
  /** At the start. */
  readonly replicas: number;
  /** From the creation of a pod until it is ready. */
  readonly startupMs: number;
  /** How long to go on; at least until the last values. */
  readonly durationMs: number;
}

/** One look at the workload. */
export interface TimelinePoint {
  readonly atMs: number;
  readonly replicas: number;
  readonly readyReplicas: number;
  /** By column. */
  readonly values: readonly (number | undefined)[];
}

/** A change of the number of replicas. */
export interface TimelineChange {
  readonly atMs: number;
  readonly by: 'operator' | 'HPA';
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export interface Timeline {
  readonly columns: readonly string[];
  /** Wherever somebody looked: each poll and each sync. */
  readonly points: readonly TimelinePoint[];
  readonly changes: readonly TimelineChange[];
}

/** Runs the simulation. @throws {Error} where a trigger has no column or cannot be simulated. */
export function simulateTimeline(simulation: Simulation): Timeline {
  const run = new Run(simulation);
  const pollMs = (simulation.object.spec.pollingInterval ?? 30) * 1000;
  const { syncPeriodMs } = simulation.controller;
  const points: TimelinePoint[] = [];
  for (const atMs of moments([pollMs, syncPeriodMs], simulation.durationMs)) {
    if (atMs % pollMs === 0) run.poll(atMs);
    if (atMs % syncPeriodMs === 0) run.sync(atMs);
    points.push(run.pointAt(atMs));
  }
  return { columns: simulation.series.columns, points, changes: run.changes };
}

/** Multiples of the periods from 0 to the end, each once and in order. */
function moments(periodsMs: readonly number[], endMs: number): readonly number[] {
  const all = periodsMs.flatMap((periodMs) =>
    Array.from({ length: Math.floor(endMs / periodMs) + 1 }, (_, index) => index * periodMs),
  );
  return [...new Set(all)].sort((a, b) => a - b);
}

class Run {
  readonly changes: TimelineChange[] = [];
  readonly #simulation: Simulation;
  readonly #triggers: readonly SimulatedTrigger[];
  readonly #composite: Composite | undefined;
  readonly #pause: Pause;
  readonly #replicas: Replicas;
  /** What was polled last, for triggers with `useCachedMetrics`. */
  readonly #polled = new Map<SimulatedTrigger, number | undefined>();
  #hpa: HpaState = NEW_HPA;
  #health: Readonly<Record<string, Health>> = {};
  #lastActiveMs: number | undefined;

  constructor(simulation: Simulation) {
    const { object, triggers, series, names } = simulation;
    this.#simulation = simulation;
    this.#triggers = simulatedTriggers(object, triggers, series.columns);
    this.#composite = compileComposite(object);
    this.#pause = pauseOf(object.metadata, names);
    this.#replicas = new Replicas(simulation.replicas, simulation.startupMs);
  }

  /** The operator's look at the triggers. */
  poll(nowMs: number): void {
    const { object } = this.#simulation;
    const { replicas: held, isPaused, ...holds } = this.#pause;
    if (held !== undefined) {
      this.#scale(nowMs, 'operator', held, 'An annotation holds it there.');
    }
    for (const trigger of this.#triggers) this.#polled.set(trigger, this.#valueOf(trigger, nowMs));
    const { activity, isFallback } = this.#judge(nowMs, false);
    const fallback = validFallback(object.spec);
    const decision = decide({
      bounds: boundsOf(object.spec),
      replicas: this.#replicas.count,
      activity,
      isPaused,
      ...holds,
      fallback: fallback && { replicas: fallback.replicas, isInForce: isFallback },
      lastActiveMs: this.#lastActiveMs,
      createdMs: 0,
      nowMs,
    });
    if (decision.isActivity) this.#lastActiveMs = nowMs;
    if (decision.replicas !== undefined) {
      this.#scale(nowMs, 'operator', decision.replicas, decision.reason);
    }
  }

  /** The HPA's. A paused object has none. */
  sync(nowMs: number): void {
    if (this.#pause.isPaused) return;
    const { object, controller } = this.#simulation;
    const { min, max } = boundsOf(object.spec);
    const metrics = this.#metrics(nowMs);
    const decision = syncHpa(
      {
        minReplicas: Math.max(min, 1),
        maxReplicas: max,
        metrics: metrics.map(({ metric }) => metric),
        behavior: this.#behavior(),
      },
      this.#hpa,
      {
        nowMs,
        specReplicas: this.#replicas.count,
        statusReplicas: this.#replicas.count,
        readyReplicas: this.#replicas.readyAt(nowMs),
        values: metrics.map(({ value }) => value),
      },
      controller,
    );
    this.#hpa = decision.state;
    this.#scale(nowMs, 'HPA', decision.replicas, REASONS[decision.reason] ?? decision.reason);
  }

  pointAt(atMs: number): TimelinePoint {
    return {
      atMs,
      replicas: this.#replicas.count,
      readyReplicas: this.#replicas.readyAt(atMs),
      values: this.#rowAt(atMs),
    };
  }

  #scale(atMs: number, by: TimelineChange['by'], to: number, reason: string): void {
    const from = this.#replicas.count;
    if (to === from) return;
    this.#replicas.set(to, atMs);
    this.changes.push({ atMs, by, from, to, reason });
  }

  #judge(nowMs: number, isHpa: boolean): Judgement {
    const { object } = this.#simulation;
    const readings = this.#triggers.flatMap((trigger): JudgedReading[] => {
      const { activation, metricName, triggerName, metricType, hpa, isCached } = trigger;
      if (activation === undefined) return [];
      const value = isHpa && isCached ? this.#polled.get(trigger) : this.#valueOf(trigger, nowMs);
      const outcome =
        value === undefined
          ? { error: `${metricName} cannot be read` }
          : { value, isActive: value > activation };
      return [{ metricName, triggerName, metricType, target: hpa.target, outcome }];
    });
    const judgement = judge({
      readings,
      unopened: [],
      isResourceOnly: readings.length === 0,
      composite: this.#composite,
      fallback: validFallback(object.spec),
      health: this.#health,
      currentReplicas: this.#replicas.count,
      readyReplicas: this.#replicas.readyAt(nowMs),
    });
    this.#health = judgement.health;
    return judgement;
  }

  /** The metrics of the HPA and what it reads of them. */
  #metrics(
    nowMs: number,
  ): readonly { readonly metric: HpaMetric; readonly value: number | undefined }[] {
    const { answers } = this.#judge(nowMs, true);
    const composite = this.#composite;
    const external = answers.map((answer) => {
      const trigger = this.#triggers.find(({ metricName }) => metricName === answer.metricName);
      const metric: HpaMetric =
        composite === undefined
          ? (trigger?.hpa ?? { type: 'AverageValue', target: 1 })
          : {
              type: composite.metricType === 'Value' ? 'Value' : 'AverageValue',
              target: composite.target,
            };
      return { metric, value: 'error' in answer ? undefined : Math.max(0, answer.value) };
    });
    const resources = this.#triggers
      .filter(({ activation }) => activation === undefined)
      .map((trigger) => ({ metric: trigger.hpa, value: this.#valueOf(trigger, nowMs) }));
    return [...external, ...resources];
  }

  #behavior() {
    const behavior = this.#simulation.object.spec.advanced?.horizontalPodAutoscalerConfig?.behavior;
    const { holdsScaleIn, holdsScaleOut } = this.#pause;
    if (!holdsScaleIn && !holdsScaleOut) return behavior;
    const disabled = { selectPolicy: 'Disabled' } as const;
    return {
      ...behavior,
      ...(holdsScaleOut && { scaleUp: { ...behavior?.scaleUp, ...disabled } }),
      ...(holdsScaleIn && { scaleDown: { ...behavior?.scaleDown, ...disabled } }),
    };
  }

  #valueOf({ column }: SimulatedTrigger, nowMs: number): number | undefined {
    return this.#rowAt(nowMs)[column];
  }

  #rowAt(nowMs: number): readonly (number | undefined)[] {
    return valuesAt(this.#simulation.series, nowMs);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  DesiredByMetrics: 'The metrics ask for it.',
  TooFewReplicas: 'There are never fewer.',
  TooManyReplicas: 'There are never more.',
  ScaleUpLimit: 'The metrics ask for more: policies limit the speed.',
  ScaleDownLimit: 'The metrics ask for fewer: policies limit the speed.',
  ScaleUpStabilized: 'The metrics ask for more: all of the window has to.',
  ScaleDownStabilized: 'The metrics ask for fewer: all of the window has to.',
};
