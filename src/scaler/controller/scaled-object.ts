/** Brings one ScaledObject to its wanted state: its HPA, its activity, its status. */
import type { Result } from '../cluster/work-queue.ts';
import { checkScaledObject } from '../decide/check-spec.ts';
import { boundsOf } from '../decide/decide.ts';
import type { Health } from '../decide/fallback.ts';
import { type Pause, pauseOf } from '../decide/pause.ts';
import { keysOf } from '../names.ts';
import type { Finding } from '../resources/conditions.ts';
import type { ScaledObject, ScaledObjectStatus } from '../resources/scaled-object.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { enforcePause, finalizeScaledObject } from './finalize.ts';
import {
  failureFindings,
  fallbackFinding,
  hpaFinding,
  noFallbackFindings,
  pausedReady,
  pauseFindings,
} from './findings.ts';
import { measurePoll, nameOf } from './measure-poll.ts';
import { fingerprintOf, Memories, type Memory, pollingMs } from './memory.ts';
import { hasOtherMetrics, type Poll, poll } from './poll.ts';
import {
  locate,
  type Prepared,
  prepare,
  refuseInvalid,
  SpecInvalid,
  statusOfFailure,
} from './prepare.ts';
import { recordingFailure } from './recording-failure.ts';
import { reportFailure, reportStart, reportTriggers, reportTurns } from './reports.ts';
import { setReplicas } from './set-replicas.ts';
import {
  activityByMetric,
  isWorthWriting,
  summaryOf,
  timestamp,
  triggerStatusesOf,
  withFindings,
} from './status.ts';

/** One ScaledObject in the hands of a reconcile. */
interface Case {
  readonly key: string;
  readonly object: ScaledObject;
  readonly memory: Memory;
  readonly pause: Pause;
  readonly signal: AbortSignal;
}

export class ScaledObjectController {
  readonly #dependencies: ControllerDependencies;
  readonly #memories = new Memories();
  readonly #wake: (key: string) => void;

  /** @param wake Asks for a reconcile of a key at once. */
  constructor(dependencies: ControllerDependencies, wake: (key: string) => void) {
    this.#dependencies = dependencies;
    this.#wake = wake;
  }

  /** The failures that fallbacks count with, for answers to the HPA: those of the leader where another process leads. */
  healthOf(key: string): Readonly<Record<string, Health>> {
    const memory = this.#memories.get(key);
    return memory?.health ?? this.#dependencies.cluster.scaledObject(key)?.status?.health ?? {};
  }

  /** Answers to the HPA count failures too. */
  recordHealth(key: string, health: Readonly<Record<string, Health>>): void {
    const memory = this.#memories.get(key);
    if (memory !== undefined) memory.health = { ...memory.health, ...health };
  }

  /** Another process may act from now on: what is known here will be out of date. */
  forgetAll(): void {
    this.#memories.clear();
  }

  /** The HPA or the source's own metrics have changed: everything is looked at anew. */
  invalidate(key: string): void {
    const memory = this.#memories.get(key);
    if (memory !== undefined) memory.fingerprint = undefined;
    this.#wake(key);
  }

  /** Credentials have changed: the triggers are opened anew, and read at once. */
  async refresh(key: string): Promise<void> {
    const memory = this.#memories.get(key);
    await memory?.prepared?.gauges.refresh();
    if (memory !== undefined) memory.nextPollMs = 0;
    this.invalidate(key);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const { cluster, names } = this.#dependencies;
    const object = cluster.scaledObject(key);
    if (object === undefined) return this.#forget(key);
    if (object.metadata.deletionTimestamp !== undefined) {
      await this.#forget(key);
      await finalizeScaledObject(object, this.#dependencies, signal);
      return {};
    }
    if (!this.#isClaimed(object)) {
      await cluster.claim(object, this.#labels(object), signal);
      return {}; // The write wakes us again.
    }
    const memory = this.#memories.of(key, object, this.#dependencies);
    return this.#reconcileLive({
      key,
      object,
      memory,
      pause: pauseOf(object.metadata, names),
      signal,
    });
  }

  async #reconcileLive(given: Case): Promise<Result> {
    const { object, memory, pause, signal } = given;
    const isHeld = pause.isPaused || pause.holdsScaleIn || pause.holdsScaleOut;
    this.#dependencies.recorder.paused(nameOf(object), isHeld);
    const work = async () => {
      if (pause.isPaused) return this.#keepPaused(given);
      if (memory.fingerprint !== fingerprintOf(object)) await this.#prepare(given);
      return this.#pollIfDue(given);
    };
    return recordingFailure(work, (error) => this.#recordFailure(given, error), signal);
  }

  async #keepPaused(given: Case): Promise<Result> {
    const { key, object, memory, pause, signal } = given;
    const [problem] = pause.problems;
    if (problem !== undefined) throw new SpecInvalid(problem);
    const { pausedReplicaCount: _before, ...status } = memory.status;
    const held = pause.replicas === undefined ? {} : { pausedReplicaCount: pause.replicas };
    // Told before anything is done, so that nobody wonders who took the HPA away.
    const findings = [
      ...pauseFindings(pause, status.conditions),
      pausedReady,
      ...noFallbackFindings(object),
    ];
    await this.#record(given, { ...status, ...held }, findings);
    memory.fingerprint = undefined;
    memory.prepared = undefined;
    await this.#dependencies.gauges.close('ScaledObject', key);
    await enforcePause(object, pause, this.#dependencies, signal);
    return {};
  }

  /** Everything that a poll needs; a poll follows at once, or soon where the object was taken over. */
  async #prepare(given: Case): Promise<void> {
    const { object, memory, pause, signal } = given;
    const { triggers, names } = this.#dependencies;
    const located = await locate(object, this.#dependencies, signal);
    memory.status = { ...memory.status, ...located.status, ...summaryOf(object.spec.triggers) };
    refuseInvalid(checkScaledObject(object, triggers, names), object.spec.triggers, triggers);
    const before = memory.prepared?.gauges;
    const prepared = await prepare(object, located, this.#dependencies, signal);
    memory.prepared = prepared;
    memory.fingerprint = fingerprintOf(object);
    memory.nextPollMs = memory.polledAtMs === undefined ? memory.firstPollMs : 0;
    if (prepared.gauges !== before) this.#begin(given, prepared);
    const { pausedReplicaCount: _paused, compositeScalerName: _composite, ...kept } = memory.status;
    // Not written yet: the poll that follows writes it together with what it finds.
    this.#note(given, { ...kept, ...prepared.status }, pauseFindings(pause, kept.conditions));
  }

  async #pollIfDue(given: Case): Promise<Result> {
    const { object, memory, signal } = given;
    const { steadyMs, recorder } = this.#dependencies;
    const { prepared, nextPollMs: dueMs, pushed } = memory;
    const startMs = steadyMs();
    const isPushed = pushed.size > 0;
    if (prepared === undefined || (startMs < dueMs && !isPushed)) {
      return { requeueAfterMs: dueMs - startMs };
    }
    if (dueMs > 0 && !isPushed) {
      recorder.loopLatency(nameOf(object), (startMs - dueMs) / 1000);
    }
    memory.nextPollMs = startMs + pollingMs(object.spec);
    if (hasLookedAway(object, memory, startMs)) memory.activeAtMs = startMs;
    memory.polledAtMs = startMs;
    const request = { object, prepared, health: memory.health, pushed: new Set(pushed) };
    pushed.clear();
    const { activeAtMs } = memory;
    const result = await poll({ ...request, activeAtMs }, this.#dependencies, signal);
    memory.health = result.judgement.health;
    measurePoll(object, prepared, result, recorder);
    reportTriggers(object, result.readings, this.#dependencies);
    await this.#enforce(given, prepared, result);
    if (hasOtherMetrics(result, prepared)) memory.fingerprint = undefined;
    return { requeueAfterMs: Math.max(0, memory.nextPollMs - steadyMs()) };
  }

  async #enforce(given: Case, prepared: Prepared, result: Poll): Promise<void> {
    const { object, memory, pause, signal } = given;
    const { cluster, nowMs, steadyMs } = this.#dependencies;
    const { decision, readings, judgement } = result;
    const { kind } = prepared;
    await setReplicas({ object, pause, kind, result }, this.#dependencies, signal);
    if (decision.isActivity) memory.activeAtMs = steadyMs();
    const { status: before } = memory;
    const { health: _health, ...kept } = before;
    const hpa = cluster.hpa(object.metadata.namespace ?? '', prepared.hpa.metadata.name);
    const status: ScaledObjectStatus = {
      ...kept,
      ...(decision.isActivity && { lastActiveTime: timestamp(nowMs()) }),
      triggers: triggerStatusesOf(object.spec.triggers, readings, before.triggers, nowMs()),
      triggersActivity: activityByMetric(readings),
      ...(object.spec.fallback !== undefined && { health: judgement.health }),
    };
    const findings = [...decision.findings, fallbackFinding(judgement), ...hpaFinding(hpa)];
    await this.#record(given, status, findings);
  }

  async #recordFailure(given: Case, error: Error): Promise<void> {
    const { object, memory } = given;
    this.#dependencies.recorder.objectError(nameOf(object));
    reportFailure(object, error, this.#dependencies.cluster);
    memory.fingerprint = undefined;
    const status = statusOfFailure(error, object, memory.status, this.#dependencies.nowMs());
    // Where the API server is away, this fails as well, and the first error says more.
    const findings = [...failureFindings(error), ...noFallbackFindings(object)];
    await this.#record(given, status, findings).catch(() => {});
  }

  /** Writes the status where it says something new, and tells what has turned. */
  async #record(
    given: Case,
    status: ScaledObjectStatus,
    findings: readonly Finding[],
  ): Promise<void> {
    const { object, memory, signal } = given;
    this.#note(given, status, findings);
    const { status: after, written } = memory;
    if (!isWorthWriting(written, after, this.#memories.size)) return;
    await this.#dependencies.cluster.patchStatus(object, written, after, signal);
    memory.written = after;
  }

  /** Takes note of what was found, and tells what has turned. */
  #note({ object, memory }: Case, status: ScaledObjectStatus, findings: readonly Finding[]): void {
    const context = {
      nowMs: this.#dependencies.nowMs(),
      generation: object.metadata.generation ?? 0,
    };
    const before = memory.status;
    memory.status = withFindings(status, findings, context);
    reportTurns(object, before.conditions, memory.status.conditions, this.#dependencies);
  }

  /** Listens to sources that push, and tells that polling begins, unless it only goes on in this process. */
  #begin({ key, object, memory }: Case, { gauges, openTypes }: Prepared): void {
    if (memory.polledAtMs !== undefined || memory.firstPollMs === 0) {
      reportStart(object, openTypes, this.#dependencies);
    }
    const onActive = (metricName: string) => {
      memory.pushed.add(metricName);
      this.#wake(key);
    };
    void gauges.watch(onActive, () => this.invalidate(key));
  }

  async #forget(key: string): Promise<Result> {
    const [namespace = '', name = ''] = key.split('/');
    this.#memories.forget(key);
    this.#dependencies.recorder.forget({ kind: 'ScaledObject', namespace, name });
    await this.#dependencies.gauges.close('ScaledObject', key);
    return {};
  }

  #isClaimed({ metadata }: ScaledObject): boolean {
    const { names } = this.#dependencies;
    const hasFinalizer = metadata.finalizers?.includes(names.finalizer) === true;
    return hasFinalizer && metadata.labels?.[keysOf(names).scaledObjectName] === metadata.name;
  }

  #labels({ metadata }: ScaledObject): Readonly<Record<string, string>> {
    return { [keysOf(this.#dependencies.names).scaledObjectName]: metadata.name };
  }
}

/** Whether it was not polled for so long that work may have come and gone: a cooldown has to be watched. */
function hasLookedAway({ spec }: ScaledObject, { polledAtMs }: Memory, nowMs: number): boolean {
  if (polledAtMs === undefined) return false;
  const { cooldownSeconds } = boundsOf(spec);
  return nowMs - polledAtMs > Math.max(2 * pollingMs(spec), cooldownSeconds * 500);
}
