import { expect } from 'chai';
import type { AnyTrigger, Metric } from '../../../src/scaler/trigger.ts';
import { configureTrigger, type Given } from './configure-trigger.ts';

/** What a user writes, and what it means: the metric, or every problem. */
export type TriggerCase = readonly [
  title: string,
  given: Given,
  expected: Partial<Metric> | readonly string[],
];

/** One test for each case. */
export function describeTrigger(trigger: AnyTrigger, cases: readonly TriggerCase[]): void {
  describe(`${trigger.type}, configured`, () => {
    for (const [title, given, expected] of cases) {
      it(title, () => {
        const { problems, metric } = configureTrigger(trigger, given);
        if (Array.isArray(expected)) expect(problems).to.deep.equal(expected);
        else
          expect({ problems, metric })
            .to.deep.include({ problems: [] })
            .and.nested.include(dotted(expected as Partial<Metric>));
      });
    }
  });
}

function dotted(expected: Partial<Metric>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [`metric.${name}`, value]),
  );
}

/** The message of what `work` rejects with. */
export async function messageOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('nothing was thrown');
}
