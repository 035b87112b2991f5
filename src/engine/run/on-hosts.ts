/** A task on each of its hosts, or on the first for all of them. */
import pLimit from 'p-limit';
import { MissingHandler, TaskError } from '../../shared/errors.ts';
import type { Task } from '../playbook/model.ts';
import type { Position } from '../values.ts';
import type { Batch } from './batch.ts';
import type { TaskInfo } from './events.ts';
import { isBroken, type Outcome, statusOf } from './outcome.ts';
import { applyEffects, applyOwnEffects, record, type Settled } from './record.ts';
import { runTask, type TaskWatch } from './run-task.ts';

/** A host that skips a task of a role, or is not reached, has not played it. */
const IDLE: ReadonlySet<string> = new Set(['skipped', 'unreachable']);

interface TurnOf {
  readonly task: Task;
  readonly info: TaskInfo;
  readonly hosts: readonly string[];
}

type WholeTurn = TurnOf & { readonly first: string };

/**
 * Runs a task's module on its hosts, side by side or once for all. A keyword that speaks of all hosts and cannot be
 * rendered fails the task on each.
 */
export async function runOnHosts(batch: Batch, turn: WholeTurn): Promise<Map<string, Settled>> {
  let speaker: string | undefined;
  let atOnce: number;
  try {
    if (batch.strategy !== 'linear') return await runAlone(batch, turn);
    speaker = turn.hosts.find((host) => runsOnce(batch, turn.task, host));
    atOnce = parallelism(batch, turn);
  } catch (error) {
    return failOnAll(batch, turn, error);
  }
  if (speaker === undefined) return await runOnEach(batch, turn, atOnce);
  return await runForAll(batch, turn, { speaker, atOnce });
}

/** Hosts that go by themselves: nobody speaks for the others, and `throttle` and `forks` count over all of them. */
async function runAlone(batch: Batch, turn: WholeTurn): Promise<Map<string, Settled>> {
  const { task, first, hosts } = turn;
  if (isForAll(batch, task)) {
    const hint = 'give the play the linear strategy';
    throw new TaskError(`${task.action} acts for all hosts at once`, {
      hint,
      place: task.position,
    });
  }
  if (runsOnce(batch, task, first))
    batch.run.warn(`run_once has no effect under the strategy ${batch.strategy}`);
  const atOnce = parallelism(batch, turn);
  return await batch.limits.run(task, atOnce, () => runOnEach(batch, turn, hosts.length));
}

function isForAll(batch: Batch, task: Task): boolean {
  const module = batch.run.services.catalogue.loaded(task.module);
  return module !== undefined && 'run' in module && module.once === true;
}

function runsOnce(batch: Batch, task: Task, host: string): boolean {
  if (isForAll(batch, task)) return true;
  return batch.turn(task, host).flag('run_once') === true;
}

/** Fails a task on hosts for a reason that lies before or behind its module. Throws on what ends the whole run. */
export function failOnAll(
  batch: Batch,
  { task, info, hosts }: TurnOf,
  error: unknown,
): Map<string, Settled> {
  const settled = hosts.map((host): [string, Settled] => {
    const outcome = batch.failure(task, host, error);
    return [host, record(batch, { task, info, host }).finish(outcome, 0)];
  });
  return new Map(settled);
}

async function runOnEach(
  batch: Batch,
  turn: TurnOf,
  atOnce: number,
): Promise<Map<string, Settled>> {
  const limit = pLimit(atOnce);
  const settled = new Map<string, Settled>();
  const work = turn.hosts.map((host) =>
    limit(async () => settled.set(host, await runOn(batch, turn, host))),
  );
  await Promise.all(work);
  return settled;
}

function parallelism(batch: Batch, { task, hosts }: TurnOf): number {
  const { forks } = batch.run.options;
  const throttle = batch.turn(task, hosts[0] ?? '').number('throttle') ?? 0;
  return Math.max(1, throttle > 0 ? Math.min(forks, throttle) : forks);
}

interface Once {
  /** The first host for which `run_once` holds. */
  readonly speaker: string;
  readonly atOnce: number;
}

/**
 * run_once: the hosts up to the speaker work. All of the batch that can be reached get what the speaker registered,
 * also those that went another way. What it includes is its own.
 */
async function runForAll(
  batch: Batch,
  turn: WholeTurn,
  { speaker, atOnce }: Once,
): Promise<Map<string, Settled>> {
  const { task, hosts } = turn;
  const working = hosts.slice(0, hosts.indexOf(speaker) + 1);
  const settled = await runOnEach(batch, { ...turn, hosts: working }, atOnce);
  const spoken = settled.get(speaker);
  if (spoken === undefined) return settled;
  const { outcome } = spoken;
  for (const host of batch.context.batch) {
    if (host !== speaker && !batch.run.unreachable.has(host))
      applyEffects(batch, task, { host, outcome });
  }
  for (const host of hosts) {
    if (!settled.has(host))
      settled.set(host, { outcome: { ...outcome, includes: [] }, isOwn: false });
  }
  return settled;
}

async function runOn(batch: Batch, { task, info }: TurnOf, host: string): Promise<Settled> {
  const started = performance.now();
  const show = record(batch, { task, info, host });
  let outcome: Outcome;
  try {
    outcome = await workOn(batch, { task, host, watch: show.watch });
  } catch (error) {
    outcome = batch.failure(task, host, error);
  }
  const settled = show.finish(outcome, performance.now() - started);
  const { role } = task.parent;
  if (role !== undefined && !IDLE.has(statusOf(outcome.result)))
    batch.context.roleRuns.worked(host, role);
  notify(batch, { host, outcome, position: task.position });
  return settled;
}

interface WorkOn {
  readonly task: Task;
  readonly host: string;
  readonly watch: TaskWatch;
}

async function workOn(batch: Batch, { task, host, watch }: WorkOn): Promise<Outcome> {
  const ahead = batch.aheadOf(host);
  ahead.start(task, batch.upcoming(host));
  const outcome = await runTask(batch.turn(task, host), ahead, watch);
  // What an interrupt has stopped has not failed.
  if (isBroken(outcome.result)) batch.run.services.signal.throwIfAborted();
  applyOwnEffects(batch, task, { host, outcome });
  return outcome;
}

interface Notifying {
  readonly host: string;
  readonly outcome: Outcome;
  readonly position: Position;
}

function notify({ run, handlers }: Batch, { host, outcome, position: place }: Notifying): void {
  for (const name of outcome.notify) {
    if (handlers.notify(host, name)) {
      run.detail(2, `Notification for handler ${name} has been saved.`);
      continue;
    }
    const message = `The requested handler '${name}' was not found in either the main handlers list nor in the listening handlers list`;
    const hint =
      'name a handler of the play or of one of its roles, or a topic that one listens to';
    if (run.options.errorOnMissingHandler) throw new MissingHandler([{ place, message, hint }]);
    run.warn(message);
  }
}
