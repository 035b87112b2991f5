/** Runs a task on one host, with its loop, its conditions, its retries and its verdict. */
import { setTimeout as wait } from 'node:timers/promises';
import { TaskError } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import { isInclude } from '../playbook/model.ts';
import { type Dict, Timestamp, TrustedTemplate, type Value } from '../values.ts';
import { dispatch } from './dispatch.ts';
import { includeOutcome } from './include-wish.ts';
import type { LookAhead } from './look-ahead.ts';
import { itemVariables, type LoopControl, loopControl, loopItems } from './loop-items.ts';
import { failureOf, isTrue, type Outcome, outcomeOf, statusOf, withMembers } from './outcome.ts';
import { timeoutOf } from './task-settings.ts';
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
  if (turn.task.loop === undefined) return await runItem(turn, 0, { ahead, watch });
  let items: readonly Value[];
  let control: LoopControl;
  try {
    control = loopControl(turn);
    items = loopItems(turn);
  } catch (error) {
    return withIgnored(turn, loopFailure(turn, error));
  }
  if (items.length === 0) {
    return outcomeOf({
      changed: false,
      skipped: true,
      skipped_reason: 'No items in the list',
      results: [],
    });
  }
  return await runLoop(turn, { items, control }, { ahead, watch });
}

interface Surroundings {
  readonly ahead: LookAhead;
  readonly watch: TaskWatch;
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
  for (let i = 0; i < items.length; i++) {
    if (i > 0 && control.pauseMs > 0) await wait(control.pauseMs);
    const variables = itemVariables(items, i, control);
    const itemTurn = turn.with(variables);
    const started = performance.now();
    const outcome = await runItem(itemTurn, i, around);
    const result = withMembers(outcome.result, Object.fromEntries(variables));
    const label = labelOf(itemTurn, control, items[i] ?? null);
    const includes = outcome.includes.map((wish) => ({ ...wish, label }));
    const whole = { ...outcome, result, includes };
    outcomes.push(whole);
    around.watch.item(whole, label, performance.now() - started);
    if (breaks(itemTurn, control, result)) break;
  }
  return aggregate(outcomes);
}

function labelOf(turn: TaskTurn, { label }: LoopControl, item: Value): string {
  const shown = label === undefined ? item : turn.render(label);
  return shownValue(shown);
}

/** A value as loop labels show it: text as it is, anything else as Python prints it. */
function shownValue(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(quoted).join(', ')}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([key, member]) => `${quoted(key)}: ${quoted(member)}`).join(', ')}}`;
  }
  return value instanceof Timestamp ? value.text : String(value);
}

function quoted(value: Value): string {
  if (typeof value !== 'string') return shownValue(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
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
  return outcomeOf(summary, {
    ignored: broken.length > 0 && broken.every(({ ignored }) => ignored),
    touched: outcomes.some(({ touched }) => touched),
    notify: outcomes.flatMap(({ notify }) => notify),
    includes: outcomes.flatMap(({ includes }) => includes),
    runEffects: outcomes.flatMap(({ runEffects }) => runEffects),
    delegate: outcomes[0]?.delegate,
    target: outcomes[0]?.target,
    unknown: outcomes.find(({ unknown }) => unknown !== undefined)?.unknown,
  });
}

function isBroken(result: Dict): boolean {
  return isTrue(result, 'failed') || isTrue(result, 'unreachable');
}

function loopMessage({ failed, skipped }: { failed: boolean; skipped: boolean }): string {
  if (failed) return 'One or more items failed';
  return skipped ? 'All items skipped' : 'All items completed';
}

/** Runs the task for one item: condition, module, verdict, and again while `until` asks for it. */
async function runItem(turn: TaskTurn, index: number, around: Surroundings): Promise<Outcome> {
  const outcome = await attempt(turn, index, around).catch(failureOf);
  return withIgnored(turn, outcome);
}

async function attempt(turn: TaskTurn, index: number, around: Surroundings): Promise<Outcome> {
  const skipped = skipReason(turn);
  if (skipped !== undefined) return skipped;
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

const DEFAULT_RETRIES = 3;
const DEFAULT_DELAY_SECONDS = 5;

async function retried(turn: TaskTurn, index: number, around: Surroundings): Promise<Outcome> {
  const until = turn.task.keywords.get('until');
  const wanted = turn.number('retries');
  if (until === undefined && wanted === undefined) return await once(turn, index, around);
  const retries = Math.max(0, wanted ?? DEFAULT_RETRIES);
  const delayMs = Math.max(1, turn.number('delay') ?? DEFAULT_DELAY_SECONDS) * 1000;
  for (let attempt = 1; ; attempt++) {
    const outcome = await once(turn, index, around);
    const tried = { ...outcome, result: withMembers(outcome.result, { attempts: attempt }) };
    if (isSettled(turn, until, tried)) return tried;
    if (attempt > retries) return exhausted(tried, until, retries);
    around.watch.retry(withMembers(tried.result, { retries: retries + 1 }), retries - attempt + 1);
    await wait(delayMs, undefined, { signal: turn.context.run.services.signal });
  }
}

function isSettled(turn: TaskTurn, until: Value | undefined, outcome: Outcome): boolean {
  if (statusOf(outcome.result) === 'unreachable') return true;
  if (until === undefined) return !isTrue(outcome.result, 'failed');
  return turn.with(registered(turn, outcome.result)).condition(until).result;
}

function exhausted(outcome: Outcome, until: Value | undefined, retries: number): Outcome {
  const members = { attempts: Math.max(1, retries), ...(until !== undefined && { failed: true }) };
  return { ...outcome, result: withMembers(outcome.result, members) };
}

async function once(turn: TaskTurn, index: number, { ahead }: Surroundings): Promise<Outcome> {
  let outcome: Outcome;
  try {
    outcome = await withinTime(turn, () =>
      dispatch(turn, (ready) => ahead.take(turn, index, ready)),
    );
  } catch (error) {
    outcome = failureOf(error);
  }
  return judge(turn, completed(outcome));
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
