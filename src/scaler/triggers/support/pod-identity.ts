import type { TriggerContext } from '../../trigger.ts';

/** The problem of an identity that a trigger would have to log in with and cannot yet. */
export function refuseIdentity(cure: string, { podIdentity }: TriggerContext): readonly string[] {
  if (podIdentity === undefined || podIdentity === 'none') return [];
  return [`podIdentity ${podIdentity} is not supported yet: ${cure}`];
}
