/** Jobs that have to go: of older generations, and ended ones beyond what is kept. */
import { keysOf } from '../names.ts';
import type { ScaledJob } from '../resources/scaled-job.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { isFailed, isSuccessful } from './jobs.ts';
import type { Job } from './ports.ts';
import { normal, warning } from './reports.ts';

const KEPT = 100;

/** Deletes the Jobs of older generations, unless they may run on (`gradual`). */
export async function rollOut(
  job: ScaledJob,
  { cluster, names }: Pick<ControllerDependencies, 'cluster' | 'names'>,
  signal: AbortSignal,
): Promise<void> {
  const { rollout, rolloutStrategy } = job.spec;
  if ((rolloutStrategy ?? rollout?.strategy) === 'gradual') return;
  const key = keysOf(names).jobGeneration;
  const generation = String(job.metadata.generation ?? 0);
  const old = cluster
    .jobsOf(job)
    .filter(({ metadata }) => metadata.annotations?.[key] !== generation)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (old.length === 0) return;
  const policy = rollout?.propagationPolicy === 'foreground' ? 'Foreground' : 'Background';
  const report = (event: ReturnType<typeof normal>) => cluster.report(job, event);
  report(
    normal('ScaledJobRolloutCleanupStarted', `Deleting ${old.length} jobs of older generations`),
  );
  try {
    await deleteAll(old, policy, cluster, signal);
  } catch (error) {
    report(warning('ScaledJobRolloutCleanupFailed', (error as Error).message));
    throw error;
  }
  report(
    normal('ScaledJobRolloutCleanupCompleted', `Deleted ${old.length} jobs of older generations`),
  );
}

/** Deletes the oldest Jobs that have ended, beyond the limits of the ScaledJob. */
export async function cleanUpHistory(
  job: ScaledJob,
  { cluster }: Pick<ControllerDependencies, 'cluster'>,
  signal: AbortSignal,
): Promise<void> {
  const { successfulJobsHistoryLimit = KEPT, failedJobsHistoryLimit = KEPT } = job.spec;
  const jobs = cluster.jobsOf(job);
  const surplus = [
    ...oldest(jobs.filter(isSuccessful), successfulJobsHistoryLimit),
    ...oldest(jobs.filter(isFailed), failedJobsHistoryLimit),
  ];
  await deleteAll(surplus, 'Background', cluster, signal);
}

/** Failed Jobs have no time of completion: those count by their creation. */
function oldest(jobs: readonly Job[], kept: number): readonly Job[] {
  const time = ({ metadata, status }: Job) =>
    Date.parse(status?.completionTime ?? metadata.creationTimestamp ?? '') || 0;
  return jobs.toSorted((a, b) => time(a) - time(b)).slice(0, Math.max(0, jobs.length - kept));
}

async function deleteAll(
  jobs: readonly Job[],
  policy: 'Background' | 'Foreground',
  cluster: ControllerDependencies['cluster'],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(jobs.map((each) => cluster.deleteJob(each, policy, signal)));
}
