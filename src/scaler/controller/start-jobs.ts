/** Makes the Jobs of a ScaledJob: each once, however the API server answers. */
import type { ScaledJob } from '../resources/scaled-job.ts';
import type { ControllerDependencies } from './dependencies.ts';
import type { AskedJob, JobLedger } from './job-ledger.ts';
import { isFinished, renderJob } from './jobs.ts';
import { normal, warning } from './reports.ts';

interface Start {
  readonly job: ScaledJob;
  /** How many Jobs more. */
  readonly count: number;
  readonly ledger: JobLedger;
}

/** Takes in what another process has made before: the cache may not show it yet. */
export async function learnJobs(
  job: ScaledJob,
  ledger: JobLedger,
  { cluster, steadyMs }: ControllerDependencies,
  signal: AbortSignal,
): Promise<void> {
  const stored = await cluster.storedJobsOf(job, signal);
  for (const each of stored.filter((one) => !isFinished(one))) {
    ledger.learn(each.metadata.name, steadyMs());
  }
}

/** Makes Jobs and tells of it. Those that could not be made are told of too, and are asked for at the next poll. */
export async function startJobs(
  start: Start,
  dependencies: ControllerDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { job, count, ledger } = start;
  if (count === 0) return;
  const { cluster, names } = dependencies;
  const asked = ledger.ask(count, job.metadata.name);
  const results = await Promise.allSettled(
    asked.map((each) => make(start, each, dependencies, signal)),
  );
  const failures = results.flatMap((result) =>
    result.status === 'rejected' ? [(result.reason as Error).message] : [],
  );
  const made = count - failures.length;
  if (made > 0) {
    cluster.report(job, normal(`${names.reasonPrefix}JobsCreated`, `Created ${made} jobs`));
  }
  for (const failure of new Set(failures)) {
    cluster.report(job, warning(`${names.reasonPrefix}JobCreateFailed`, failure));
  }
}

async function make(
  { job, ledger }: Start,
  { name, isNew }: AskedJob,
  { cluster, names, version, steadyMs }: ControllerDependencies,
  signal: AbortSignal,
): Promise<void> {
  const rendered = renderJob(job, names, version, name);
  const isMade = await cluster.createJob(rendered, job.metadata.namespace ?? '', signal);
  if (!isMade && isNew) {
    ledger.giveUp(name);
    throw new Error(`the name ${name} is taken by another Job`);
  }
  ledger.confirm(name, steadyMs());
}
