/** Runs a task on one host, with its loop, its conditions, its retries and its verdict. */
import { setTimeout as wait } from 'node:timers/promises';
import { TaskError } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import { isInclude } from '../playbook/model.ts';
import { type Dict, OMIT, TrustedTemplate, type Value } from '../values.ts';
import { breath } from './breath.ts';
import { withDelegate } from './delegate.ts';
import { dispatch } from './dispatch.ts';
import { pardoned, watchGuesses } from './guesses.ts';
import { includeOutcome } from './include-wish.ts';
import { labelled } from './item-label.ts';
import type { LookAhead } from './look-ahead.ts';
import { type LoopControl, loopControl } from './loop-control.ts';
import { itemVariables, loopItems } from './loop-items.ts';
import {
  failureOf,
  isBroken,
  isTrue,
  type Outcome,
  outcomeOf,
  statusOf,
  withMembers,
} from './outcome.ts';
import { delegateOfFailed, timeoutOf } from './task-settings.ts';
import type { TaskTurn } from './task-turn.ts';
import { judge, registered, withIgnored } from './verdict.ts';

/** What is told while a task goes on. */
export interface TaskWatch {
  item(outcome: Outcome, label: string, durationMs: number): void;
  retry(result: Dict, left: number): void;
}

/** Runs the task for every item of its loop, or once. Never throws for what is the task's own failure. */
export async function runTask(
  turn: TaskTurn,
  ahead: LookAhead,
  watch: TaskWatch,
): Promise<Outcome> {
  const watched = watchGuesses(turn);
  return await runWatched(watched.turn, { ahead, watch, dependsOn: watched.dependsOn });
}

async function runWatched(turn: TaskTurn, around: Surroundings): Promise<Outcome> {
  if (turn.task.loop === undefined) return await runItem(turn, 0, around);
  let items: readonly Value[];
  let control: LoopControl;
  try {
    control = loopControl(turn);
    items = loopItems(turn);
  } catch (error) {
    return withIgnored(turn, pardoned(loopFailure(turn, error), around.dependsOn()));
  }
  if (items.length === 0) {
    return outcomeOf({
      changed: false,
      skipped: true,
      skipped_reason: 'No items in the list',
      results: [],
    });
  }
  return await runLoop(turn, { items, control }, around);
}

interface Surroundings {
  readonly ahead: LookAhead;
  readonly watch: TaskWatch;
  /** What guesses of a check run that the task has read depend on. */
  dependsOn(): string | undefined;
}

/** A loop that cannot be rendered is a failure, unless the conditions say without it that the task is skipped. */
function loopFailure(turn: TaskTurn, error: unknown): Outcome {
  try {
    const skipped = skipReason(turn);
    if (skipped !== undefined) return skipped;
  } catch (second) {
    if (!(second instanceof TemplateError)) throw second;
  }
  return failureOf(error);
}

interface LoopOf {
  readonly items: readonly Value[];
  readonly control: LoopControl;
}

async function runLoop(
  turn: TaskTurn,
  { items, control }: LoopOf,
  around: Surroundings,
): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  const { signal } = turn.context.run.services;
  for (let i = 0; i < items.length; i++) {
    await breath(signal);
    if (i > 0 && control.pauseMs > 0) await wait(control.pauseMs, undefined, { signal });
    const variables = itemVariables(items, i, control);
    const itemTurn = turn.with(variables);
    const started = performance.now();
    const outcome = await runItem(itemTurn, i, around);
    const told = withMembers(outcome.result, Object.fromEntries(variables));
    const { label, result } = labelled(itemTurn, control, { item: items[i] ?? null, result: told });
    const includes = outcome.includes.map((wish) => ({ ...wish, label }));
    const whole = withIgnored(itemTurn, { ...outcome, result, includes });
    outcomes.push(whole);
    around.watch.item(whole, label, performance.now() - started);
    if (breaks(itemTurn, control, result)) break;
  }
  return aggregate(outcomes);
}

function breaks(turn: TaskTurn, { breakWhen }: LoopControl, result: Dict): boolean {
  if (breakWhen === undefined) return false;
  return turn.with(registered(turn, result)).condition(breakWhen).result;
}

/** The result of a whole loop, in the shape that `register` gives. */
function aggregate(outcomes: readonly Outcome[]): Outcome {
  const results = outcomes.map(({ result }) => result);
  const any = (key: string) => results.some((result) => isTrue(result, key));
  const all = (key: string) => results.every((result) => isTrue(result, key));
  const summary = new Map<string, Value>([['changed', any('changed')]]);
  if (any('failed')) summary.set('failed', true);
  summary.set('skipped', all('skipped'));
  if (any('unreachable')) summary.set('unreachable', true);
  summary.set('msg', loopMessage({ failed: any('failed'), skipped: all('skipped') }));
  summary.set('results', results as readonly Value[]);
  const broken = outcomes.filter(({ result }) => isBroken(result));
  const hidden = outcomes.map(({ hides }) => hides);
  return outcomeOf(summary, {
    hides: hidden.includes('result') ? 'result' : hidden.find((each) => each !== undefined),
    ignored: broken.length > 0 && broken.every(({ ignored }) => ignored),
    touched: outcomes.some(({ touched }) => touched),
    notify: outcomes.flatMap(({ notify }) => notify),
    includes: outcomes.flatMap(({ includes }) => includes),
    runEffects: outcomes.flatMap(({ runEffects }) => runEffects),
    delegate: outcomes[0]?.delegate,
    target: outcomes[0]?.target,
    unknown: outcomes.find(({ unknown }) => unknown !== undefined)?.unknown,
    guessed: outcomes.find(({ guessed }) => guessed !== undefined)?.guessed,
  });
}

function loopMessage({ failed, skipped }: { failed: boolean; skipped: boolean }): string {
  if (failed) return 'One or more items failed';
  return skipped ? 'All items skipped' : 'All items completed';
}

/** Runs the task for one item: condition, module, verdict, and again while `until` asks for it. */
async function runItem(given: TaskTurn, index: number, around: Surroundings): Promise<Outcome> {
  const turn = withDelegate(given);
  const outcome = await attempt(turn, index, around).catch(failureOf);
  const isUntold = outcome.delegate === undefined && isBroken(outcome.result);
  const told = isUntold ? { ...outcome, delegate: delegateOfFailed(turn) } : outcome;
  return withIgnored(turn, pardoned(told, around.dependsOn()));
}

async function attempt(turn: TaskTurn, index: number, around: Surroundings): Promise<Outcome> {
  const skipped = skipReason(turn);
  if (skipped !== undefined) return skipped;
  for (const name of LATE_FLAGS) turn.flag(name);
  if (isInclude(turn.task)) return includeOutcome(turn);
  return await retried(turn, index, around);
}

function skipReason(turn: TaskTurn): Outcome | undefined {
  const { result, falseCondition } = turn.condition(turn.inherited.when);
  if (result) return undefined;
  return outcomeOf(
    new Map<string, Value>([
      ['changed', false],
      ['skipped', true],
      ['skip_reason', 'Conditional result was False'],
      ['false_condition', asWritten(falseCondition ?? false)],
    ]),
  );
}

/** A condition as a result shows it: data, which nothing renders again. */
function asWritten(condition: Value): Value {
  return condition instanceof TrustedTemplate ? condition.text : condition;
}

/** Keywords that count once the task has run: one that makes no sense fails the task before it does anything. */
const LATE_FLAGS = [
  'no_log',
  'ignore_errors',
  'ignore_unreachable',
  'any_errors_fatal',
  'delegate_facts',
];

/** Empty text and `omit` are as if the keyword were not there. */
function untilOf(turn: TaskTurn): Value | undefined {
  const until = turn.task.keywords.get('until');
  if (until === null || until === '') return undefined;
  const isOmitted = until instanceof TrustedTemplate && turn.render(until) === OMIT;
  return isOmitted ? undefined : until;
}

const DEFAULT_RETRIES = 3;
const DEFAULT_DELAY_SECONDS = 5;

async function retried(turn: TaskTurn, index: number, around: Surroundings): Promise<Outcome> {
  const until = untilOf(turn);
  const wanted = turn.number('retries');
  if (until === undefined && wanted === undefined) return await once(turn, index, around);
  const retries = Math.max(0, wanted ?? DEFAULT_RETRIES);
  const delayMs = Math.max(1, turn.number('delay') ?? DEFAULT_DELAY_SECONDS) * 1000;
  for (let attempt = 1; ; attempt++) {
    const tried = await once(turn, index, around, { attempts: attempt });
    if (isSettled(turn, until, tried)) return tried;
    if (attempt > retries) return exhausted(tried, until, retries);
    around.watch.retry(withMembers(tried.result, { retries: retries + 1 }), retries - attempt + 1);
    await wait(delayMs, undefined, { signal: turn.context.run.services.signal });
  }
}

function isSettled(turn: TaskTurn, until: Value | undefined, outcome: Outcome): boolean {
  // What a check run has not done will be no different the next time.
  if (statusOf(outcome.result) === 'unreachable' || outcome.guessed !== undefined) return true;
  if (until === undefined) return !isTrue(outcome.result, 'failed');
  return turn.with(registered(turn, outcome.result)).condition(until).result;
}

function exhausted(outcome: Outcome, until: Value | undefined, retries: number): Outcome {
  const members = { attempts: Math.max(1, retries), ...(until !== undefined && { failed: true }) };
  return { ...outcome, result: withMembers(outcome.result, members) };
}

/** One try. The conditions that judge it see `counted` beside what the module told. */
async function once(
  turn: TaskTurn,
  index: number,
  { ahead }: Surroundings,
  counted: Readonly<Record<string, Value>> = {},
): Promise<Outcome> {
  let outcome: Outcome;
  try {
    outcome = await withinTime(turn, () =>
      dispatch(turn, (ready) => ahead.take(turn, index, ready)),
    );
  } catch (error) {
    outcome = failureOf(error);
  }
  const { result, ...rest } = completed(outcome);
  return judge(turn, { ...rest, result: withMembers(result, counted) });
}

/** Fails the task when its `timeout` has passed, whatever it waits for. */
async function withinTime<T>(turn: TaskTurn, work: () => Promise<T>): Promise<T> {
  const timeoutMs = timeoutOf(turn);
  if (timeoutMs === undefined) return await work();
  const seconds = timeoutMs / 1000;
  const done = new AbortController();
  const late = wait(timeoutMs, undefined, { signal: done.signal }).then(() => {
    throw new TaskError(`Timed out after ${seconds} second(s).`, {
      result: { timedout: { period: seconds } },
    });
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    done.abort();
    late.catch(() => undefined);
  }
}

/** Adds what Ansible's controller derives: `failed`, and the lines of texts. */
function completed(outcome: Outcome): Outcome {
  const result = new Map(outcome.result);
  for (const name of ['stdout', 'stderr']) {
    const text = result.get(name);
    if (typeof text === 'string' && !result.has(`${name}_lines`))
      result.set(`${name}_lines`, linesOf(text));
  }
  if (!result.has('failed')) result.set('failed', false);
  if (!result.has('changed')) result.set('changed', false);
  return { ...outcome, result };
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text
    .replace(/\r\n|\n|\r$/, (end) => end)
    .replace(/(\r\n|\n|\r)$/, '')
    .split(/\r\n|\n|\r/);
}
