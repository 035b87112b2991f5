import { conditions } from './conditions.ts';
import { hpaBehavior } from './hpa-behavior.ts';
import {
  bool,
  int32,
  list,
  mapOf,
  object,
  oneOf,
  optional,
  str,
  type TypeOf,
  time,
} from './openapi.ts';
import { conditionColumn, defineResource, type ObjectOf } from './resource.ts';
import { scaledObjectTriggers, triggerStatuses, triggersActivity } from './triggers.ts';

const scaleTargetRef = object(
  {
    name: str('Its name, in the namespace of the ScaledObject.', { minLength: 1 }),
    apiVersion: optional(str('Default: apps/v1.')),
    kind: optional(str('Any kind with a scale subresource. Default: Deployment.')),
    envSourceContainerName: optional(
      str('Container whose environment feeds `…FromEnv` metadata. Default: the first.'),
    ),
  },
  'What to scale.',
);

const scalingModifiers = object(
  {
    formula: optional(str('Expression over the names of triggers.')),
    target: optional(str('What one replica is expected to carry of the result; more than 0.')),
    activationTarget: optional(str('Stay at zero up to this result. Default: 0.')),
    metricType: optional(oneOf(['AverageValue', 'Value'], 'Default: AverageValue.')),
  },
  'One metric out of several.',
);

const advanced = object(
  {
    restoreToOriginalReplicaCount: optional(
      bool('Sets the replicas back to those first seen when the ScaledObject is deleted.'),
    ),
    horizontalPodAutoscalerConfig: optional(
      object(
        {
          name: optional(str('Name of the HPA. Default: made from the name of the ScaledObject.')),
          behavior: optional(hpaBehavior),
        },
        'What the HPA takes over.',
      ),
    ),
    scalingModifiers: optional(scalingModifiers),
  },
  'What few need.',
);

const fallback = object(
  {
    failureThreshold: int32('Failures in a row that are put up with.', { minimum: 0 }),
    replicas: int32('Replicas while the source cannot be read.', { minimum: 0 }),
    behavior: optional(
      oneOf(
        [
          'static',
          'currentReplicas',
          'currentReplicasIfHigher',
          'currentReplicasIfLower',
          'scalingModifiers',
        ],
        'How the number is chosen.',
        { default: 'static' },
      ),
    ),
  },
  'What to do while sources cannot be read.',
);

const spec = object(
  {
    scaleTargetRef,
    pollingInterval: optional(
      int32('Seconds between our own checks. Default: 30.', { minimum: 1 }),
    ),
    cooldownPeriod: optional(
      int32('Seconds after the last activity before going to zero or idle. Default: 300.', {
        minimum: 0,
      }),
    ),
    initialCooldownPeriod: optional(
      int32('The same from creation on, where it was never active. Default: 0.', { minimum: 0 }),
    ),
    idleReplicaCount: optional(
      int32('Replicas while inactive; less than the least.', { minimum: 0 }),
    ),
    minReplicaCount: optional(int32('The least replicas. Default: 0.', { minimum: 0 })),
    maxReplicaCount: optional(int32('The most replicas. Default: 100.', { minimum: 1 })),
    advanced: optional(advanced),
    fallback: optional(fallback),
    triggers: scaledObjectTriggers,
  },
  'What is wanted.',
  [
    {
      rule: '!has(self.minReplicaCount) || self.minReplicaCount <= (has(self.maxReplicaCount) ? self.maxReplicaCount : 100)',
      message: 'minReplicaCount must be less than or equal to maxReplicaCount',
    },
  ],
);

const health = mapOf(
  object(
    {
      numberOfFailures: optional(int32('Failures in a row.')),
      status: optional(oneOf(['Happy', 'Failing'], 'Whether the last read succeeded.')),
    },
    'Of one metric.',
  ),
  'Failures by the name of the metric; kept where there is a fallback.',
);

const status = object(
  {
    scaleTargetKind: optional(str('`<group>/<version>.<Kind>` of the target.')),
    scaleTargetGVKR: optional(
      object(
        {
          group: str('API group.'),
          version: str('API version.'),
          kind: str('Kind.'),
          resource: str('Plural name.'),
        },
        'The target as the cluster knows it.',
      ),
    ),
    originalReplicaCount: optional(int32('Replicas when the target was first seen.')),
    lastActiveTime: optional(time('The last time that it was found active.')),
    externalMetricNames: optional(list(str('Name.'), 'Metrics that the HPA reads from us.')),
    resourceMetricNames: optional(list(str('Name.'), 'Resources that the HPA reads by itself.')),
    compositeScalerName: optional(str('The metric of the formula.')),
    health: optional(health),
    triggersActivity: optional(triggersActivity),
    triggers: optional(triggerStatuses),
    conditions: optional(conditions),
    pausedReplicaCount: optional(int32('The replicas that a pause holds.')),
    hpaName: optional(str('Name of the HPA.')),
    triggersTypes: optional(str('Types of the triggers.')),
    authenticationsTypes: optional(str('Names of the authentications.')),
  },
  'What was seen.',
);

export type ScaledObjectSpec = TypeOf<typeof spec>;
export type ScaledObjectStatus = TypeOf<typeof status>;
export type Fallback = NonNullable<ScaledObjectSpec['fallback']>;
export type ScaledObject = ObjectOf<ScaledObjectSpec, ScaledObjectStatus>;

export const scaledObject = defineResource({
  kind: 'ScaledObject',
  plural: 'scaledobjects',
  shortNames: ['so'],
  isNamespaced: true,
  description: 'Scales a workload on events, from and to zero.',
  spec,
  status,
  columns: [
    { name: 'ScaleTargetKind', path: '.status.scaleTargetKind' },
    { name: 'ScaleTargetName', path: '.spec.scaleTargetRef.name' },
    { name: 'Min', path: '.spec.minReplicaCount', type: 'integer' },
    { name: 'Max', path: '.spec.maxReplicaCount', type: 'integer' },
    conditionColumn('Ready'),
    conditionColumn('Active'),
    conditionColumn('Fallback'),
    conditionColumn('Paused'),
    { name: 'Triggers', path: '.status.triggersTypes' },
    { name: 'Authentications', path: '.status.authenticationsTypes' },
  ],
});
