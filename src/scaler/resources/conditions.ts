/** Conditions of ScaledObjects and ScaledJobs. */
import { int64, list, object, oneOf, optional, str, type TypeOf, time } from './openapi.ts';

export const condition = object(
  {
    type: str('Ready, Active, Fallback, Paused or HPAActive.'),
    status: oneOf(['True', 'False', 'Unknown'], 'Whether it holds.'),
    reason: optional(str('One word for programs.')),
    message: optional(str('A sentence for people.')),
    lastTransitionTime: optional(time('When the status last changed.')),
    observedGeneration: optional(int64('The generation of the object that this was said of.')),
  },
  'Something that is known about the object.',
);

export const conditions = list(condition, 'What is known about the object.');

export type Condition = TypeOf<typeof condition>;
export type ConditionStatus = Condition['status'];

/** What one poll or reconcile has found; times and generation are added when it is recorded. */
export interface Finding {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/**
 * The conditions after a finding. The time changes only with the status, as Kubernetes' API conventions ask.
 * @param now RFC 3339.
 */
export function withFinding(
  conditions: readonly Condition[],
  finding: Finding,
  { now, generation }: { readonly now: string; readonly generation: number },
): readonly Condition[] {
  const before = conditions.find(({ type }) => type === finding.type);
  const isSame = before?.status === finding.status && before.lastTransitionTime !== undefined;
  const after: Condition = {
    ...finding,
    lastTransitionTime: isSame ? before.lastTransitionTime : now,
    observedGeneration: generation,
  };
  if (before === undefined) return [...conditions, after];
  return conditions.map((candidate) => (candidate === before ? after : candidate));
}

/** The status of the condition of a type, `Unknown` where it was never said. */
export function statusOf(
  conditions: readonly Condition[] | undefined,
  type: string,
): ConditionStatus {
  return conditions?.find((candidate) => candidate.type === type)?.status ?? 'Unknown';
}
