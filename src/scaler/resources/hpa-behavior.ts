import { int32, list, object, oneOf, optional, str, type TypeOf } from './openapi.ts';

const scalingRules = (direction: string) =>
  object(
    {
      stabilizationWindowSeconds: optional(
        int32('Seconds of recommendations that are looked back upon.', {
          minimum: 0,
          maximum: 3600,
        }),
      ),
      selectPolicy: optional(oneOf(['Max', 'Min', 'Disabled'], 'Which policy counts.')),
      policies: optional(
        list(
          object(
            {
              type: oneOf(['Pods', 'Percent'], 'What the value counts.'),
              value: int32('The most that may change in a period.', { minimum: 1 }),
              periodSeconds: int32('Length of the period.', { minimum: 1, maximum: 1800 }),
            },
            'A limit.',
          ),
          'Limits to the speed.',
        ),
      ),
      tolerance: optional(
        str('Deviation that is put up with, as a quantity; newer clusters only.'),
      ),
    },
    `How to scale ${direction}.`,
  );

/** `behavior` of autoscaling/v2, handed to the HPA as it is. */
export const hpaBehavior = object(
  { scaleUp: optional(scalingRules('out')), scaleDown: optional(scalingRules('in')) },
  'Speed of scaling, as in autoscaling/v2.',
);

export type HpaBehavior = TypeOf<typeof hpaBehavior>;
export type HpaScalingRules = NonNullable<HpaBehavior['scaleUp']>;
