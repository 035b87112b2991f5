/** Everything in `docs/` that is made of the triggers. */
import { triggers } from '../src/scaler/triggers/registry.ts';
import { renderTriggerIndex, renderTriggerPage } from './trigger-page.ts';
import { proofOf } from './trigger-proof.ts';
import { triggersSchema } from './trigger-schema.ts';

/** Texts by their path below `docs/`. */
export function renderTriggerDocs(): ReadonlyMap<string, string> {
  const all = Object.values(triggers);
  return new Map([
    ['triggers/README.md', renderTriggerIndex(all)],
    ['triggers.schema.json', `${JSON.stringify(triggersSchema(all), undefined, 2)}\n`],
    ...all.map(
      (trigger) =>
        [`triggers/${trigger.type}.md`, renderTriggerPage(trigger, proofOf(trigger))] as const,
    ),
  ]);
}
