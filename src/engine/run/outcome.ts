/** What a task came to on one host, before it is shown and stored. */
import { formatProblem, InvalidInput, TaskError, Unreachable } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import type { Diff, Hiding, RunEffects } from '../module.ts';
import { type Dict, fromPlain, isDict, type Value } from '../values.ts';
import type { Status } from './events.ts';

export interface Outcome {
  readonly result: Dict;
  /** What of the result is registered, but never shown. */
  readonly hides: Hiding | undefined;
  readonly diffs: readonly Diff[];
  readonly plan: unknown;
  readonly unknown: string | undefined;
  /** In a check run: what the result depends on that was not done. The result is not what a real run would give. */
  readonly guessed: string | undefined;
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
  hides: undefined,
  diffs: [],
  plan: undefined,
  unknown: undefined,
  guessed: undefined,
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

/** The outcome of a task that threw, whatever it was: a fault of a module or of ours fails the task as well. */
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
  return faultOf(error);
}

/** What nobody foresaw. The stack is for those who mend it. */
function faultOf(error: unknown): Outcome {
  const exception = error instanceof Error ? (error.stack ?? '') : '';
  return outcomeOf({ changed: false, failed: true, msg: faultMessage(error), exception });
}

/** What the operating system refuses is no fault of the program. */
function faultMessage(error: unknown): string {
  const { code, syscall, message = '' } = (error ?? {}) as Partial<NodeJS.ErrnoException>; // Any of them may be absent.
  if (code === 'ERR_INVALID_ARG_VALUE' && message.includes('null bytes'))
    return 'a path or a command cannot contain a NUL character';
  if (typeof syscall === 'string') return message;
  return `Unexpected failure: ${describeError(error)} (please report it to the authors of tsprov, or of the custom module, with the stack that -vvv shows)`;
}

function describeError(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'an error that cannot be shown';
  }
}

export function isTrue(result: Dict, key: string): boolean {
  return result.get(key) === true;
}

/** Whether a result, or that of an item, counts as failed: where `failed_when` says no, exhausted retries do not. */
function isFailure(result: Dict): boolean {
  if (!isTrue(result, 'failed')) return false;
  if (result.get('failed_when_result') === false) return false;
  const items = result.get('results');
  if (!Array.isArray(items)) return true;
  const failed = (items as readonly Value[])
    .filter((item): item is Dict => isDict(item)) // Keys of results are text.
    .filter((item) => isTrue(item, 'failed'));
  return failed.length === 0 || failed.some(isFailure);
}

/** Whether the host could not do what was asked. */
export function isBroken(result: Dict): boolean {
  return isFailure(result) || isTrue(result, 'unreachable');
}

/** How a result counts. */
export function statusOf(result: Dict): Status {
  if (isTrue(result, 'unreachable')) return 'unreachable';
  if (isFailure(result)) return 'failed';
  if (isTrue(result, 'skipped')) return 'skipped';
  return isTrue(result, 'changed') ? 'changed' : 'ok';
}

/** Why a task failed. A verdict that could not be reached says more than the module's own message. */
export function reasonOf(result: Dict): string {
  const names = ['changed_when_result', 'failed_when_result', 'msg', 'censored'];
  const reason = names.map((name) => result.get(name)).find((text) => typeof text === 'string');
  return reason ?? String(result.get('msg') ?? 'unknown reason');
}

/** What stands for a traceback, of which conditions only ask whether it is there. */
const TRACEBACK = '(traceback unavailable)';

/** What a result's exception is, where it has failed. */
export function exceptionOf(result: Dict): Value | undefined {
  return isTrue(result, 'failed') ? (result.get('exception') ?? TRACEBACK) : undefined;
}

/** A result as variables keep it: one that has failed, or an item that has, tells of its exception. */
export function keptResult(result: Dict): Dict {
  const items = result.get('results');
  if (Array.isArray(items)) {
    const kept = items.map((item) => (isDict(item) ? keptResult(item as Dict) : item)); // Keys of results are text.
    return withMembers(result, { results: kept as readonly Value[] });
  }
  const exception = exceptionOf(result);
  return exception === undefined ? result : withMembers(result, { exception });
}

/** A result with more members. */
export function withMembers(result: Dict, members: Readonly<Record<string, Value>>): Dict {
  return new Map([...result, ...Object.entries(members)]);
}
