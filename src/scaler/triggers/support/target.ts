import type { TriggerContext } from '../../trigger.ts';

/** The problem of a target that is missing or 0, where KEDA sees no difference between the two. */
export function requireTarget(
  name: string,
  value: number | undefined,
  context: TriggerContext,
): readonly string[] {
  return value !== undefined && value < 0 ? [] : checkTarget(name, value, context);
}

/** The problem of a target below 0, which no HPA takes. */
export function checkSign(
  name: string,
  value: number | undefined,
  context: TriggerContext,
): readonly string[] {
  return value !== undefined && value < 0 ? checkTarget(name, value, context) : [];
}

/** The problem of a target that is missing or not above 0; a trigger that feeds a formula needs none. */
export function checkTarget(
  name: string,
  value: number | undefined,
  { isMember }: TriggerContext,
): readonly string[] {
  if (isMember || (value !== undefined && value > 0)) return [];
  return [
    value === undefined
      ? `${name} is missing: give what one replica should carry`
      : `${name} must be more than 0 and not ${value}`,
  ];
}
