/** A task on each of its hosts, or on the first for all of them. */
import pLimit from 'p-limit';
import { MissingHandler } from '../../shared/errors.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import type { Task } from '../playbook/model.ts';
import type { Position } from '../values.ts';
import type { Batch } from './batch.ts';
import type { TaskInfo } from './events.ts';
import { failureOf, type Outcome } from './outcome.ts';
import { applyEffects, record, type Settled } from './record.ts';
import { runTask } from './run-task.ts';
import { toBoolean } from './task-turn.ts';
import { withIgnored } from './verdict.ts';

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
  let once: boolean;
  let atOnce: number;
  try {
    once = runsOnce(batch, turn.task, turn.first);
    atOnce = parallelism(batch, turn);
  } catch (error) {
    return failOnAll(batch, turn, failureOf(error));
  }
  return await (once ? runForAll(batch, turn) : runOnEach(batch, turn, atOnce));
}

function runsOnce(batch: Batch, task: Task, host: string): boolean {
  const module = batch.run.services.catalogue.loaded(task.module);
  if (module !== undefined && 'run' in module && module.once === true) return true;
  const keyword = inheritedBy(task).nearest('run_once');
  if (keyword === undefined || keyword === null) return false;
  return toBoolean(batch.context.render(keyword, host, task));
}

function failOnAll(batch: Batch, { task, info, hosts }: TurnOf, failure: Outcome) {
  const settled = hosts.map((host): [string, Settled] => {
    const outcome = withIgnored(batch.turn(task, host), failure);
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

/** run_once: the first host works, the others get what it registered. */
async function runForAll(batch: Batch, turn: WholeTurn): Promise<Map<string, Settled>> {
  const { task, hosts, first } = turn;
  const settled = await runOn(batch, turn, first);
  for (const host of hosts) {
    if (host !== first) applyEffects(batch, task, { host, outcome: settled.outcome });
  }
  const others: Settled = { ...settled, isOwn: false };
  return new Map(hosts.map((host) => [host, host === first ? settled : others]));
}

async function runOn(batch: Batch, { task, info }: TurnOf, host: string): Promise<Settled> {
  const started = performance.now();
  const turn = batch.turn(task, host);
  const ahead = batch.aheadOf(host);
  ahead.start(task, batch.upcoming(host));
  const show = record(batch, { task, info, host });
  const outcome = await runTask(turn, ahead, show.watch).catch(failureOf);
  const settled = show.finish(outcome, performance.now() - started);
  applyEffects(batch, task, { host, outcome });
  notify(batch, { host, outcome, position: task.position });
  return settled;
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
