/** What a task came to on one host, before it is shown and stored. */
import { formatProblem, InvalidInput, TaskError, Unreachable } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import type { Diff, RunEffects } from '../module.ts';
import { type Dict, fromPlain, type Value } from '../values.ts';
import type { Status } from './events.ts';

export interface Outcome {
  readonly result: Dict;
  readonly diffs: readonly Diff[];
  readonly plan: unknown;
  readonly unknown: string | undefined;
  /** Changes of the run itself, one entry for each item that asks for them. */
  readonly runEffects: readonly RunEffects[];
  /** Whether anything on the host may have changed. */
  readonly touched: boolean;
  /** Handler names and topics to notify, rendered. */
  readonly notify: readonly string[];
  /** The host it was delegated to, as output shows it. */
  readonly delegate: string | undefined;
  /** The host that was worked on. */
  readonly target: string | undefined;
  /** Tasks that an include brings in, one entry for each item. */
  readonly includes: readonly IncludeWish[];
  /** What ran, once the task had come so far: a module on a host, or an action on the controller. */
  readonly ran: 'Module' | 'Action' | undefined;
  /** Whether ignore_errors or ignore_unreachable lets the host go on after a failure. */
  readonly ignored: boolean;
}

/** What an include asks for, with the variables of its item. */
export interface IncludeWish {
  readonly args: Dict;
  readonly local: Dict;
  readonly label: string | undefined;
}

const PLAIN: Omit<Outcome, 'result'> = {
  diffs: [],
  plan: undefined,
  unknown: undefined,
  runEffects: [],
  touched: false,
  notify: [],
  includes: [],
  ignored: false,
  delegate: undefined,
  target: undefined,
  ran: undefined,
};

/** An outcome that is only a result. */
export function outcomeOf(
  result: Readonly<Record<string, unknown>> | Dict,
  more: Partial<Outcome> = {},
): Outcome {
  const dict = result instanceof Map ? (result as Dict) : (fromPlain(result) as Dict); // An object gives a dict.
  return { ...PLAIN, ...more, result: dict };
}

/** The outcome of a task that threw. Errors that are our own faults are thrown on. */
export function failureOf(error: unknown): Outcome {
  if (error instanceof Unreachable) {
    return outcomeOf({
      unreachable: true,
      changed: false,
      msg: formatProblem(error),
    });
  }
  if (error instanceof TaskError) {
    const { result } = error;
    return outcomeOf({
      changed: false,
      msg: formatProblem(error),
      ...result,
      failed: true,
    });
  }
  if (error instanceof TemplateError) {
    return outcomeOf({
      failed: true,
      msg: formatProblem({ place: error.position, message: error.message }),
    });
  }
  if (error instanceof InvalidInput)
    return outcomeOf({ changed: false, failed: true, msg: error.message });
  throw error;
}

export function isTrue(result: Dict, key: string): boolean {
  return result.get(key) === true;
}

/** How a result counts. */
export function statusOf(result: Dict): Status {
  if (isTrue(result, 'unreachable')) return 'unreachable';
  if (isTrue(result, 'failed')) return 'failed';
  if (isTrue(result, 'skipped')) return 'skipped';
  return isTrue(result, 'changed') ? 'changed' : 'ok';
}

/** Why a task failed. A verdict that could not be reached says more than the module's own message. */
export function reasonOf(result: Dict): string {
  const names = ['changed_when_result', 'failed_when_result', 'msg', 'censored'];
  const reason = names.map((name) => result.get(name)).find((text) => typeof text === 'string');
  return reason ?? String(result.get('msg') ?? 'unknown reason');
}

/** A result with more members. */
export function withMembers(result: Dict, members: Readonly<Record<string, Value>>): Dict {
  return new Map([...result, ...Object.entries(members)]);
}
