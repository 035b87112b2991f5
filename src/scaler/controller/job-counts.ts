/** How many Jobs of a ScaledJob are under way. */
import type { JobCounts } from '../decide/job-scaling.ts';
import type { ScaledJob } from '../resources/scaled-job.ts';
import type { JobLedger } from './job-ledger.ts';
import { isFinished } from './jobs.ts';
import type { Job, JobPod, ScalerCluster } from './ports.ts';

/**
 * Counts the Jobs that have not ended. Those that were just made count, as pending, before the cache shows them: none
 * is made twice.
 */
export async function countJobs(
  job: ScaledJob,
  ledger: JobLedger,
  cluster: ScalerCluster,
  nowMs: number,
): Promise<JobCounts> {
  const jobs = cluster.jobsOf(job);
  const unseen = ledger.unseen(new Set(jobs.map(({ metadata }) => metadata.name)), nowMs);
  const running = jobs.filter((each) => !isFinished(each));
  const total = running.length + unseen;
  if (running.length === 0 || !needsPending(job)) return { running: total, pending: unseen };
  const pods = await cluster.jobPodsOf(job);
  const conditions = job.spec.scalingStrategy?.pendingPodConditions ?? [];
  const pending = running.filter((each) => isPending(each, pods, conditions));
  return { running: total, pending: pending.length + unseen };
}

function needsPending({ spec }: ScaledJob): boolean {
  const strategy = spec.scalingStrategy?.strategy;
  return strategy === 'accurate' || strategy === 'eager';
}

/** Pending: no pod of the Job runs yet or, where conditions are named, none has all of them. */
function isPending(
  { metadata }: Job,
  pods: readonly JobPod[],
  conditions: readonly string[],
): boolean {
  const own = pods.filter(({ jobName }) => jobName === metadata.name);
  return !own.some((pod) =>
    conditions.length > 0
      ? conditions.every((condition) => pod.conditions.includes(condition))
      : pod.phase === 'Running' || pod.phase === 'Succeeded',
  );
}
