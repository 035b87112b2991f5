import type { Effect, Plan, Step } from './module.ts';

/** A plan as it can be stored and shown: no secrets, and what is in files only where differences are asked for. */
export interface PlanRecord {
  readonly steps: readonly unknown[];
  readonly before?: unknown;
  readonly after?: unknown;
  readonly effects: readonly Effect[];
}

/** The record of a plan. */
export function recordPlan(plan: Plan<unknown>, hasContent: boolean): PlanRecord {
  const { steps, before, after, effects } = plan;
  return hasContent
    ? { steps, before, after, effects }
    : { steps: steps.map(withoutContent), effects };
}

/** A step without the texts that go into a file or a program. */
function withoutContent(step: Step): unknown {
  const { content: _content, stdin: _stdin, ...shown } = { content: 0, stdin: 0, ...step };
  return shown;
}

/** One step in words, for messages. */
export function describeStep(step: Step): string {
  return step.kind === 'write' ? `write ${step.path}` : `run ${step.command.line}`;
}
