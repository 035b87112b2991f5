/** What ScaledObjects and ScaledJobs have in common. */
import {
  bool,
  float,
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

const authenticationRef = object(
  {
    name: str('Its name.'),
    kind: optional(
      oneOf(
        ['TriggerAuthentication', 'ClusterTriggerAuthentication'],
        'Its kind; default TriggerAuthentication.',
      ),
    ),
  },
  'Where the trigger finds its credentials.',
);

const common = {
  type: str('Type of the trigger.', { minLength: 1 }),
  name: optional(str('Unique in the object; formulas and metrics use it.')),
  metadata: mapOf(str('Text.'), 'Parameters of the trigger; all values are texts.'),
  authenticationRef: optional(authenticationRef),
  useCachedMetrics: optional(
    bool('Answers the HPA with what was last polled. Not for cpu, memory and cron.'),
  ),
};

export const scaledObjectTriggers = list(
  object(
    {
      ...common,
      metricType: optional(
        str('AverageValue (default), Value; for cpu and memory AverageValue or Utilization.'),
      ),
    },
    'An event source.',
  ),
  'Event sources; at least one.',
  { minItems: 1 },
);

export const scaledJobTriggers = list(
  object(common, 'An event source.'),
  'Event sources; at least one.',
  {
    minItems: 1,
  },
);

export type TriggerSpec = TypeOf<typeof scaledObjectTriggers>[number];

export const triggerStatuses = list(
  object(
    {
      index: int32('Position in `spec.triggers`.'),
      type: str('Type of the trigger.'),
      name: optional(str('Name of the trigger.')),
      metricName: optional(str('The name under which the HPA asks for it.')),
      isActive: optional(bool('Whether it wants the workload to run.')),
      value: optional(float('What was last read.')),
      target: optional(float('What one replica is expected to carry.')),
      error: optional(str('Why it cannot be read; absent where it can.')),
      failures: optional(int32('Polls without an answer since the last one with.')),
      lastSuccessTime: optional(
        time(
          'When it was last read, to the minute; with more than 600 objects, to a tenth of a second for each of them.',
        ),
      ),
    },
    'What is known of one trigger.',
  ),
  'What is known of each trigger.',
);

export type TriggerStatus = TypeOf<typeof triggerStatuses>[number];
export const triggersActivity = mapOf(
  object({ isActive: optional(bool('Whether it wants the workload to run.')) }, 'Of one metric.'),
  'Activity by the name of the metric.',
);
