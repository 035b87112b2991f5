/** The Jobs (batch/v1) of a ScaledJob. */
import { keysOf, type Names } from '../names.ts';
import { ownerReference } from '../resources/resource.ts';
import type { ScaledJob } from '../resources/scaled-job.ts';
import type { Job } from './ports.ts';

/** Whether a Job has ended, well or not. */
export function isFinished(job: Job): boolean {
  return isSuccessful(job) || isFailed(job);
}

export function isSuccessful(job: Job): boolean {
  return holds(job, 'Complete');
}

export function isFailed(job: Job): boolean {
  return holds(job, 'Failed');
}

/** A Job as it is to be made. Without a name the API server gives it one. */
export function renderJob(job: ScaledJob, names: Names, version: string, name?: string) {
  const { metadata, spec } = job;
  const keys = keysOf(names);
  const { template, ...jobSpec } = spec.jobTargetRef;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...(name === undefined ? { generateName: `${metadata.name}-` } : { name }),
      namespace: metadata.namespace,
      labels: renderLabels(job, names, version),
      annotations: {
        [keys.jobGeneration]: String(metadata.generation ?? 0),
        ...metadata.annotations,
      },
      ownerReferences: [ownerReference('ScaledJob', metadata, names)],
    },
    spec: {
      ...jobSpec,
      template: {
        ...template,
        metadata: {
          ...template.metadata,
          labels: { ...template.metadata?.labels, [keys.scaledJobName]: metadata.name },
        },
        spec: { ...template.spec, restartPolicy: template.spec?.['restartPolicy'] || 'OnFailure' },
      },
    },
  };
}

function renderLabels({ metadata }: ScaledJob, names: Names, version: string) {
  const keys = keysOf(names);
  const excluded = (metadata.annotations?.[keys.jobExcludedLabels] ?? '')
    .split(',')
    .map((key) => key.trim());
  const own = Object.entries(metadata.labels ?? {}).filter(([key]) => !excluded.includes(key));
  return {
    'app.kubernetes.io/name': metadata.name,
    'app.kubernetes.io/version': version,
    'app.kubernetes.io/part-of': metadata.name,
    'app.kubernetes.io/managed-by': names.manager,
    ...Object.fromEntries(own),
    [keys.scaledJobName]: metadata.name,
  };
}

function holds({ status }: Job, type: string): boolean {
  return (
    status?.conditions?.some(
      (condition) => condition.type === type && condition.status === 'True',
    ) === true
  );
}
