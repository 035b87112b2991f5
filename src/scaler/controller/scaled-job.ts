/** Brings one ScaledJob to its wanted state: as many Jobs as its queue asks for. */
import type { Result } from '../cluster/work-queue.ts';
import { checkScaledJob } from '../decide/check-spec.ts';
import {
  combineQueues,
  jobBoundsOf,
  jobsToStart,
  type QueueReading,
} from '../decide/job-scaling.ts';
import { pauseOf } from '../decide/pause.ts';
import { firstDelayMs } from '../decide/poll-times.ts';
import { keysOf } from '../names.ts';
import type { Finding } from '../resources/conditions.ts';
import type { ScaledJob, ScaledJobStatus } from '../resources/scaled-job.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { type GaugeSet, hasError, type MetricReading, type Readings } from './gauge-set.ts';
import { countJobs } from './job-counts.ts';
import {
  jobActiveFinding,
  jobFailureFindings,
  jobFailureMessage,
  jobInitialFindings,
  jobPauseFinding,
  jobReadyFinding,
} from './job-findings.ts';
import { cleanUpHistory, rollOut } from './job-history.ts';
import { JobLedger } from './job-ledger.ts';
import { renderJob } from './jobs.ts';
import { pollingMs } from './memory.ts';
import type { Job } from './ports.ts';
import { openTypesOf, refuseInvalid } from './prepare.ts';
import { recordingFailure } from './recording-failure.ts';
import { normal, reportJobTurns, reportStart, warning } from './reports.ts';
import { learnJobs, startJobs } from './start-jobs.ts';
import {
  activityByMetric,
  isWorthWriting,
  summaryOf,
  timestamp,
  triggerStatusesOf,
  withFindings,
} from './status.ts';

interface Memory {
  readonly term: number;
  readonly uid: string | undefined;
  /** When it is polled first, on the clock that never jumps; afterwards undefined. */
  firstPollMs: number | undefined;
  /** Generation whose spec was looked at. */
  preparedFor: number | undefined;
  nextPollMs: number;
  readonly ledger: JobLedger;
  /** Whether the API server was asked what another process has made. */
  isInformed: boolean;
  status: ScaledJobStatus;
  written: ScaledJobStatus | undefined;
}

interface Case {
  readonly key: string;
  readonly job: ScaledJob;
  readonly memory: Memory;
  readonly signal: AbortSignal;
}

export class ScaledJobController {
  readonly #dependencies: ControllerDependencies;
  readonly #memories = new Map<string, Memory>();
  /** Counts how often this process has begun to forget. */
  #term = 0;

  constructor(dependencies: ControllerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Credentials have changed: the triggers are opened anew at the next poll, which is due at once. */
  async refresh(key: string): Promise<void> {
    const job = this.#dependencies.cluster.scaledJob(key);
    const memory = this.#memories.get(key);
    if (job === undefined || memory === undefined) return;
    await this.#gauges(job).refresh();
    memory.nextPollMs = 0;
  }

  /** Another process may act from now on: what is known here of statuses will be out of date. */
  forgetAll(): void {
    this.#term += 1;
  }

  /** The cache has shown a Job, or its end: it counts as the cache has it from now on. */
  noticeJob({ metadata }: Job): void {
    const owner = metadata.labels?.[keysOf(this.#dependencies.names).scaledJobName];
    this.#memories.get(`${metadata.namespace}/${owner}`)?.ledger.notice(metadata.name);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const { cluster, names } = this.#dependencies;
    const job = cluster.scaledJob(key);
    if (job === undefined) return this.#forget(key);
    if (job.metadata.deletionTimestamp !== undefined) {
      await this.#forget(key);
      await cluster.releaseFinalizer(job, signal);
      cluster.report(job, normal('ScaledJobDeleted', 'ScaledJob was deleted'));
      return {};
    }
    if (job.metadata.finalizers?.includes(names.finalizer) !== true) {
      await cluster.claim(job, {}, signal);
      return {}; // The write wakes us again.
    }
    return this.#reconcileLive({ key, job, memory: this.#memory(key, job), signal });
  }

  async #reconcileLive(given: Case): Promise<Result> {
    const { job, memory, signal } = given;
    const { names, recorder } = this.#dependencies;
    const { isPaused } = pauseOf(job.metadata, names);
    recorder.paused(nameOf(job), isPaused);
    const work = async () => {
      if (isPaused) return this.#keepPaused(given);
      if (memory.preparedFor !== job.metadata.generation) await this.#prepare(given);
      return this.#pollIfDue(given);
    };
    return recordingFailure(work, (error) => this.#recordFailure(given, error), signal);
  }

  async #keepPaused(given: Case): Promise<Result> {
    const { key, memory } = given;
    await this.#record(given, memory.status, [jobPauseFinding(true)]);
    await this.#dependencies.gauges.close('ScaledJob', key);
    memory.preparedFor = undefined;
    return {};
  }

  /** Looks at the spec, and asks the API server what it makes of the Jobs. */
  async #prepare(given: Case): Promise<void> {
    const { job, memory, signal } = given;
    const { cluster, triggers, names, version } = this.#dependencies;
    refuseInvalid(checkScaledJob(job, triggers), job.spec.triggers, triggers);
    await cluster.checkJob(renderJob(job, names, version), job.metadata.namespace ?? '', signal);
    memory.preparedFor = job.metadata.generation;
    memory.nextPollMs = memory.firstPollMs ?? 0;
    if (memory.firstPollMs === undefined) await this.#reportStart(job);
    const status = { ...memory.status, ...summaryOf(job.spec.triggers) };
    await this.#record(given, status, [jobPauseFinding(false)]);
  }

  async #pollIfDue(given: Case): Promise<Result> {
    const { job, memory, signal } = given;
    const { steadyMs, recorder, cluster, names } = this.#dependencies;
    const startMs = steadyMs();
    if (startMs < memory.nextPollMs) return { requeueAfterMs: memory.nextPollMs - startMs };
    if (memory.nextPollMs > 0) {
      recorder.loopLatency(nameOf(job), (startMs - memory.nextPollMs) / 1000);
    }
    memory.firstPollMs = undefined;
    memory.nextPollMs = startMs + pollingMs(job.spec);
    // At each poll: Jobs of an older generation may show in the cache only after the change of the spec.
    await rollOut(job, this.#dependencies, signal);
    const readings = await this.#gauges(job).poll();
    for (const reading of readings.metrics) recorder.reading(nameOf(job), reading);
    const errors = errorsOf(readings);
    for (const error of new Set(errors)) {
      cluster.report(job, warning(`${names.reasonPrefix}ScalerFailed`, error));
    }
    const queue = this.#queueOf(job, readings);
    if (!memory.isInformed) await learnJobs(job, memory.ledger, this.#dependencies, signal);
    memory.isInformed = true;
    const counts = await countJobs(job, memory.ledger, cluster, steadyMs());
    const wanted = jobsToStart(queue, counts, jobBoundsOf(job.spec), job.spec.scalingStrategy);
    await startJobs({ job, count: wanted, ledger: memory.ledger }, this.#dependencies, signal);
    await cleanUpHistory(job, this.#dependencies, signal);
    await this.#recordPoll(given, readings, { isActive: queue.isActive, errors });
    return { requeueAfterMs: Math.max(0, memory.nextPollMs - steadyMs()) };
  }

  #queueOf({ spec }: ScaledJob, { metrics }: Readings) {
    const queues = metrics.flatMap((reading) => asQueue(reading) ?? []);
    const calculation = spec.scalingStrategy?.multipleScalersCalculation;
    return combineQueues(queues, jobBoundsOf(spec), calculation);
  }

  async #recordPoll(
    given: Case,
    readings: Readings,
    { isActive, errors }: { readonly isActive: boolean; readonly errors: readonly string[] },
  ): Promise<void> {
    const { job, memory } = given;
    const { nowMs } = this.#dependencies;
    const status: ScaledJobStatus = {
      ...memory.status,
      ...(isActive && { lastActiveTime: timestamp(nowMs()) }),
      externalMetricNames: readings.metrics.map(({ metric }) => metric.metricName),
      triggersActivity: activityByMetric(readings),
      triggers: triggerStatusesOf(job.spec.triggers, readings, memory.status.triggers, nowMs()),
    };
    await this.#record(given, status, [
      jobReadyFinding(errors, isActive),
      jobActiveFinding(isActive),
    ]);
  }

  async #recordFailure(given: Case, error: Error): Promise<void> {
    const { job, memory } = given;
    const { recorder, cluster } = this.#dependencies;
    recorder.objectError(nameOf(job));
    const message = jobFailureMessage(error);
    cluster.report(job, warning('ScaledJobCheckFailed', message));
    memory.preparedFor = undefined;
    const status = { ...memory.status, ...summaryOf(job.spec.triggers) };
    await this.#record(given, status, jobFailureFindings(message)).catch(() => {});
  }

  async #record(
    { job, memory, signal }: Case,
    status: ScaledJobStatus,
    findings: readonly Finding[],
  ): Promise<void> {
    const { cluster, nowMs } = this.#dependencies;
    const context = { nowMs: nowMs(), generation: job.metadata.generation ?? 0 };
    const after = withFindings(status, findings, context);
    const { status: before, written } = memory;
    memory.status = after;
    reportJobTurns(job, before.conditions, after.conditions, cluster);
    if (!isWorthWriting(written, after, this.#memories.size)) return;
    await cluster.patchStatus(job, written, after, signal);
    memory.written = after;
  }

  async #reportStart(job: ScaledJob): Promise<void> {
    const { closed } = await this.#gauges(job).metrics();
    reportStart(job, openTypesOf(job, closed), this.#dependencies);
  }

  #gauges(job: ScaledJob): GaugeSet {
    return this.#dependencies.gauges.of(job, job.spec.jobTargetRef.template.spec);
  }

  #memory(key: string, job: ScaledJob): Memory {
    const known = this.#memories.get(key);
    const isSame = known?.uid === job.metadata.uid;
    if (known !== undefined && isSame && known.term === this.#term) return known;
    const { status = {}, metadata } = job;
    const context = { nowMs: this.#dependencies.nowMs(), generation: metadata.generation ?? 0 };
    const isRecorded = (status.conditions ?? []).length > 0;
    const memory: Memory = {
      term: this.#term,
      uid: metadata.uid,
      firstPollMs: isRecorded ? this.#firstPollMs(job) : undefined,
      preparedFor: undefined,
      nextPollMs: 0,
      // What was made here is not made again.
      ledger: (isSame && known?.ledger) || new JobLedger(),
      isInformed: false,
      status: isRecorded ? status : withFindings(status, jobInitialFindings, context),
      written: isRecorded ? status : undefined,
    };
    this.#memories.set(key, memory);
    return memory;
  }

  #firstPollMs({ metadata, spec }: ScaledJob): number {
    return this.#dependencies.steadyMs() + firstDelayMs(metadata.uid ?? '', pollingMs(spec));
  }

  async #forget(key: string): Promise<Result> {
    const [namespace = '', name = ''] = key.split('/');
    this.#memories.delete(key);
    this.#dependencies.recorder.forget({ kind: 'ScaledJob', namespace, name });
    await this.#dependencies.gauges.close('ScaledJob', key);
    return {};
  }
}

function nameOf({ metadata }: ScaledJob) {
  const { namespace = '', name } = metadata;
  return { kind: 'ScaledJob', namespace, name } as const;
}

function errorsOf({ metrics, unopened }: Readings): readonly string[] {
  return [
    ...unopened.map(({ error }) => error),
    ...metrics.flatMap(({ outcome }) => (hasError(outcome) ? outcome.error : [])),
  ];
}

function asQueue({ metric, outcome }: MetricReading): QueueReading | undefined {
  if (hasError(outcome)) return undefined;
  return { length: outcome.value, target: metric.metric.target, isActive: outcome.isActive };
}
