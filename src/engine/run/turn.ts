/** One turn of a batch: a task on all hosts that are at it, side by side. */
import pLimit from 'p-limit';
import { MissingHandler } from '../../shared/errors.ts';
import { FREE_FORM } from '../playbook/action.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import type { Task } from '../playbook/model.ts';
import { textOf } from '../playbook/source.ts';
import type { Position, Value } from '../values.ts';
import type { Batch, StepEnd } from './batch.ts';
import type { TaskInfo } from './events.ts';
import { bringIn } from './include.ts';
import { metaAction, metaGroups, runMeta } from './meta.ts';
import { byModule } from './module-template.ts';
import { failureOf, type Outcome, statusOf } from './outcome.ts';
import { applyEffects, record, type Settled, showSkipped } from './record.ts';
import { runTask } from './run-task.ts';
import { tagsOf } from './selection.ts';
import { HostLost, TaskFailed } from './signals.ts';
import { toBoolean } from './task-turn.ts';
import { withIgnored } from './verdict.ts';

type Ends = ReadonlyMap<string, StepEnd>;

/** Runs a task for the hosts that are at it and decides for each how it goes on. */
export async function runTurn(batch: Batch, task: Task, hosts: readonly string[]): Promise<Ends> {
  if (metaAction(task) !== undefined) return await metaTurn(batch, task, hosts);
  const groups = await byModule(batch, task, hosts);
  const ends: Ends[] = [];
  for (const group of groups) ends.push(await moduleTurn(batch, group.task, group.hosts));
  return new Map(ends.flatMap((each) => [...each]));
}

async function moduleTurn(batch: Batch, task: Task, hosts: readonly string[]): Promise<Ends> {
  const [first] = hosts;
  if (first === undefined) return new Map();
  const info = taskInfo(batch, task, first);
  if (!(await isConfirmed(batch, info))) return pass(hosts);
  batch.run.services.emit({ type: 'task-start', task: info, hosts });
  const settled = await runOnAll(batch, { task, info, hosts, first });
  const blocks = await bringIn(batch, { task, info }, settled);
  const ends = hosts.map((host): [string, StepEnd] => {
    const fate = blocks.failures.get(host) ?? settled.get(host);
    return [host, { signal: signalOf(task, fate), blocks: blocks.byHost.get(host) ?? [] }];
  });
  return spreadFailure(batch, { task, hosts, settled }, new Map(ends));
}

async function metaTurn(batch: Batch, task: Task, hosts: readonly string[]): Promise<Ends> {
  const { emit } = batch.run.services;
  const ends = new Map<string, StepEnd>();
  for (const group of metaGroups(task, hosts)) {
    const [first] = group;
    if (first === undefined) continue;
    const info = taskInfo(batch, task, first);
    emit({ type: 'task-start', task: info, hosts: group });
    const { end, isSkipped, told } = await runMeta(batch, task, first);
    batch.run.detail(2, `META: ${told}`);
    if (isSkipped) showSkipped(batch, { task, info, host: first }, told);
    for (const host of group) ends.set(host, end);
  }
  return ends;
}

function pass(hosts: readonly string[]): Ends {
  return new Map(hosts.map((host) => [host, { signal: undefined, blocks: [] }]));
}

async function isConfirmed({ run }: Batch, { title }: TaskInfo): Promise<boolean> {
  return (await run.confirm(title)) !== 'no';
}

function taskInfo(batch: Batch, task: Task, host: string): TaskInfo {
  const role = task.parent.role?.name;
  const name = titleOf(batch, task, host);
  return {
    title: role === undefined ? name : `${role} : ${name}`,
    action: task.action,
    module: task.module,
    position: task.position,
    handler: task.isHandler,
    role,
    tags: tagsOf(task, (value) => batch.context.render(value, host, task)),
    checkMode: batch.run.options.check,
  };
}

/** The rendered name; one that fails to render is shown as it was written. */
function titleOf(batch: Batch, task: Task, host: string): string {
  const name = nameOf(task);
  const written = textOf(name) ?? '';
  if (written === '') return task.action;
  const prefix = name === task.name ? '' : `${task.action} : `;
  try {
    return prefix + String(batch.context.render(name, host, task));
  } catch (error) {
    failureOf(error);
    return prefix + written;
  }
}

/** An include of a role that has no name is known by the role. */
function nameOf({ name, module, args }: Task): Value {
  if (textOf(name) !== '' || module !== 'include_role') return name;
  return args.get('name') ?? args.get('role') ?? args.get(FREE_FORM) ?? name;
}

function runsOnce(batch: Batch, task: Task, host: string): boolean {
  const module = batch.run.services.catalogue.loaded(task.module);
  if (module !== undefined && 'run' in module && module.once === true) return true;
  const keyword = inheritedBy(task).nearest('run_once');
  if (keyword === undefined || keyword === null) return false;
  return toBoolean(batch.context.render(keyword, host, task));
}

interface TurnOf {
  readonly task: Task;
  readonly info: TaskInfo;
  readonly hosts: readonly string[];
}

type WholeTurn = TurnOf & { readonly first: string };

/** A keyword that speaks of all hosts and cannot be rendered fails the task on each. */
async function runOnAll(batch: Batch, turn: WholeTurn): Promise<Map<string, Settled>> {
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

function signalOf(task: Task, settled: Settled | undefined): Error | undefined {
  if (settled === undefined || settled.outcome.ignored) return undefined;
  const status = statusOf(settled.outcome.result);
  if (status === 'unreachable') return new HostLost();
  return status === 'failed'
    ? new TaskFailed(task, settled.outcome, { isOwn: settled.isOwn })
    : undefined;
}

interface Finished {
  readonly task: Task;
  readonly hosts: readonly string[];
  readonly settled: ReadonlyMap<string, Settled>;
}

/** any_errors_fatal and max_fail_percentage: one host's failure may stop the others too. */
function spreadFailure(
  batch: Batch,
  { task, hosts, settled }: Finished,
  ends: ReadonlyMap<string, StepEnd>,
): Ends {
  const failed = hosts.filter((host) => ends.get(host)?.signal instanceof TaskFailed);
  const lost = hosts.filter((host) => ends.get(host)?.signal !== undefined);
  const [example] = failed;
  if (example === undefined && lost.length === 0) return ends;
  const isFatal = lost.length > 0 && anyErrorsFatal(batch, task, lost[0] ?? '');
  const isTooMany = example !== undefined && exceedsFailures(batch, failed.length);
  if (!isFatal && !isTooMany) return ends;
  const outcome = settled.get(example ?? lost[0] ?? '')?.outcome;
  if (outcome === undefined) return ends;
  if (isTooMany) batch.stop.run = true;
  return new Map(
    [...ends].map(([host, end]) => [
      host,
      end.signal === undefined
        ? { ...end, signal: new TaskFailed(task, outcome, { isOwn: false }) }
        : end,
    ]),
  );
}

function anyErrorsFatal(batch: Batch, task: Task, host: string): boolean {
  const keyword = inheritedBy(task).nearest('any_errors_fatal');
  if (keyword === undefined || keyword === null) return batch.run.options.anyErrorsFatal;
  return toBoolean(batch.context.render(keyword, host, task));
}

/** Strictly more than the allowed share of the batch has failed; failures of the whole run count. */
function exceedsFailures(batch: Batch, failing: number): boolean {
  const keyword = batch.context.play.keywords.get('max_fail_percentage');
  if (keyword === undefined || keyword === null) return false;
  const allowed = Number(String(batch.context.renderForPlay(keyword)).replace('%', ''));
  return ((batch.run.failures + failing) / batch.context.batch.length) * 100 > allowed;
}
