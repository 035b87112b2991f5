/** What the author of a manifest has to mend in a trigger. Names trigger, parameter and cure, never a secret. */
export class TriggerProblem extends Error {
  override readonly name = 'TriggerProblem';
}
