import { conditions } from './conditions.ts';
import {
  foreign,
  int32,
  list,
  object,
  oneOf,
  optional,
  str,
  type TypeOf,
  time,
} from './openapi.ts';
import { conditionColumn, defineResource, type ObjectOf } from './resource.ts';
import { scaledJobTriggers, triggerStatuses, triggersActivity } from './triggers.ts';

/** The parts of a batch/v1 JobSpec that we look at; the rest is handed on. */
export interface JobTemplate {
  readonly template: {
    readonly metadata?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec?: Readonly<Record<string, unknown>>;
  };
}

const rollout = object(
  {
    strategy: optional(oneOf(['gradual', 'immediate'], 'Default: immediate.')),
    propagationPolicy: optional(oneOf(['foreground', 'background'], 'Default: background.')),
  },
  'What becomes of Jobs of an older generation.',
);

const scalingStrategy = object(
  {
    strategy: optional(oneOf(['default', 'custom', 'accurate', 'eager'], 'Default: default.')),
    customScalingQueueLengthDeduction: optional(int32('Taken off the queue by `custom`.')),
    customScalingRunningJobPercentage: optional(
      str('Share of running Jobs that `custom` takes off.'),
    ),
    pendingPodConditions: optional(
      list(str('Type of a condition.'), 'A Job is pending until a pod of it has all of these.'),
    ),
    multipleScalersCalculation: optional(
      oneOf(['min', 'avg', 'sum', 'max'], 'How several triggers become one queue. Default: max.'),
    ),
  },
  'How many Jobs a queue asks for.',
);

const spec = object(
  {
    jobTargetRef: foreign<JobTemplate>('The JobSpec (batch/v1) of the Jobs.', ['template']),
    pollingInterval: optional(int32('Seconds between checks. Default: 30.', { minimum: 1 })),
    minReplicaCount: optional(
      int32('Jobs kept running when there is no work. Default: 0.', { minimum: 0 }),
    ),
    maxReplicaCount: optional(int32('The most Jobs at once. Default: 100.', { minimum: 1 })),
    successfulJobsHistoryLimit: optional(int32('Default: 100.', { minimum: 0 })),
    failedJobsHistoryLimit: optional(int32('Default: 100.', { minimum: 0 })),
    envSourceContainerName: optional(
      str('Container whose environment feeds `…FromEnv` metadata. Default: the first.'),
    ),
    rollout: optional(rollout),
    rolloutStrategy: optional(
      oneOf(['gradual', 'immediate'], 'Older form of `rollout.strategy`; wins over it.'),
    ),
    scalingStrategy: optional(scalingStrategy),
    triggers: scaledJobTriggers,
  },
  'What is wanted.',
);

const status = object(
  {
    lastActiveTime: optional(time('The last time that it was found active.')),
    conditions: optional(conditions),
    Paused: optional(str('Not written; kept for those who read it.')),
    triggersTypes: optional(str('Types of the triggers.')),
    authenticationsTypes: optional(str('Names of the authentications.')),
    externalMetricNames: optional(list(str('Name.'), 'Metrics of the triggers.')),
    triggersActivity: optional(triggersActivity),
    triggers: optional(triggerStatuses),
  },
  'What was seen.',
);

export type ScaledJobSpec = TypeOf<typeof spec>;
export type ScaledJobStatus = TypeOf<typeof status>;
export type ScaledJob = ObjectOf<ScaledJobSpec, ScaledJobStatus>;

export const scaledJob = defineResource({
  kind: 'ScaledJob',
  plural: 'scaledjobs',
  shortNames: ['sj'],
  isNamespaced: true,
  description: 'Runs Jobs for events.',
  spec,
  status,
  columns: [
    { name: 'Min', path: '.spec.minReplicaCount', type: 'integer' },
    { name: 'Max', path: '.spec.maxReplicaCount', type: 'integer' },
    conditionColumn('Ready'),
    conditionColumn('Active'),
    conditionColumn('Paused'),
    { name: 'Triggers', path: '.status.triggersTypes' },
    { name: 'Authentications', path: '.status.authenticationsTypes' },
  ],
});
