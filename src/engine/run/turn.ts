/** One turn of a batch: a task on all hosts that are at it, side by side. */
import { FREE_FORM } from '../playbook/action.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import type { Task } from '../playbook/model.ts';
import { textOf } from '../playbook/source.ts';
import { asBoolean } from '../to-boolean.ts';
import type { Value } from '../values.ts';
import type { Batch, StepEnd } from './batch.ts';
import { breath } from './breath.ts';
import type { TaskInfo } from './events.ts';
import { bringIn } from './include.ts';
import { metaAction, metaGroups, runMeta } from './meta.ts';
import { byModule } from './module-template.ts';
import { failOnAll, runOnHosts } from './on-hosts.ts';
import { statusOf } from './outcome.ts';
import { type Settled, showSkipped } from './record.ts';
import { HostLost, TaskFailed } from './signals.ts';

type Ends = ReadonlyMap<string, StepEnd>;

/** Runs a task for the hosts that are at it and decides for each how it goes on. */
export async function runTurn(batch: Batch, task: Task, hosts: readonly string[]): Promise<Ends> {
  await breath(batch.run.services.signal);
  if (metaAction(task) !== undefined) return await metaTurn(batch, task, hosts);
  const groups = await byModule(batch, task, hosts);
  const ends: Ends[] = [];
  for (const group of groups) ends.push(await moduleTurn(batch, group.task, group.hosts));
  return new Map(ends.flatMap((each) => [...each]));
}

type Turn = Parameters<typeof failOnAll>[1];

async function moduleTurn(batch: Batch, task: Task, hosts: readonly string[]): Promise<Ends> {
  const [first] = hosts;
  if (first === undefined) return new Map();
  const { info, fault } = taskInfo(batch, task, first);
  if (!(await isConfirmed(batch, info))) return pass(hosts);
  const isAlone = batch.strategy !== 'linear';
  batch.run.services.emit({ type: 'task-start', task: info, hosts, isAlone });
  const turn: Turn = { task, info, hosts };
  try {
    if (fault !== undefined) throw fault.error;
    return await carryOut(batch, { ...turn, first });
  } catch (error) {
    return failed(batch, turn, error);
  }
}

async function carryOut(batch: Batch, turn: Turn & { readonly first: string }): Promise<Ends> {
  const { task, info, hosts } = turn;
  const settled = await runOnHosts(batch, turn);
  const blocks = await bringIn(batch, { task, info }, settled);
  const ends = hosts.map((host): [string, StepEnd] => {
    const fate = blocks.failures.get(host) ?? settled.get(host);
    return [host, { signal: signalOf(task, fate), blocks: blocks.byHost.get(host) ?? [] }];
  });
  return spreadFailure(batch, { task, hosts, settled }, new Map(ends));
}

/** What was thrown outside of any host's own work fails the task on all of them. */
function failed(batch: Batch, turn: Turn, error: unknown): Ends {
  const settled = failOnAll(batch, turn, error);
  const ends = [...settled].map(([host, fate]): [string, StepEnd] => [
    host,
    { signal: signalOf(turn.task, fate), blocks: [] },
  ]);
  return new Map(ends);
}

async function metaTurn(batch: Batch, task: Task, hosts: readonly string[]): Promise<Ends> {
  const ends: Ends[] = [];
  for (const group of metaGroups(task, hosts)) ends.push(await groupTurn(batch, task, group));
  return new Map(ends.flatMap((each) => [...each]));
}

async function groupTurn(batch: Batch, task: Task, hosts: readonly string[]): Promise<Ends> {
  const [first] = hosts;
  if (first === undefined) return new Map();
  const { info, fault } = taskInfo(batch, task, first);
  const isAlone = batch.strategy !== 'linear';
  batch.run.services.emit({ type: 'task-start', task: info, hosts, isAlone });
  try {
    if (fault !== undefined) throw fault.error;
    const { end, isSkipped, told } = await runMeta(batch, task, first);
    batch.run.detail(2, `META: ${told}`);
    if (isSkipped) showSkipped(batch, { task, info, host: first }, told);
    return new Map(hosts.map((host) => [host, end]));
  } catch (error) {
    return failed(batch, { task, info, hosts }, error);
  }
}

function pass(hosts: readonly string[]): Ends {
  return new Map(hosts.map((host) => [host, { signal: undefined, blocks: [] }]));
}

async function isConfirmed({ run }: Batch, { title }: TaskInfo): Promise<boolean> {
  return (await run.confirm(title)) !== 'no';
}

interface Introduced {
  readonly info: TaskInfo;
  /** Why the task fails before anything is tried. */
  readonly fault: { readonly error: unknown } | undefined;
}

function taskInfo(batch: Batch, task: Task, host: string): Introduced {
  const role = task.parent.role?.name;
  const name = titleOf(batch, task, host);
  // An include of a role is no task of the role around it.
  const isOfRole = role !== undefined && task.module !== 'include_role';
  const info = {
    title: isOfRole ? `${role} : ${name}` : name,
    action: task.action,
    module: task.module,
    position: task.position,
    handler: task.isHandler,
    role,
    checkMode:
      asBoolean(inheritedBy(task).nearest('check_mode') ?? null) ?? batch.run.options.check,
  };
  try {
    return { info: { ...info, tags: batch.tagsOf(task, host) }, fault: undefined };
  } catch (error) {
    return { info: { ...info, tags: [] }, fault: { error } };
  }
}

/** The rendered name; one that fails to render is shown as it was written. */
function titleOf(batch: Batch, task: Task, host: string): string {
  const name = nameOf(task);
  const written = textOf(name) ?? '';
  if (written === '') return task.action;
  const prefix = name === task.name ? '' : `${task.action} : `;
  try {
    return prefix + String(batch.context.render(name, host, task));
  } catch {
    return prefix + written;
  }
}

/** An include of a role that has no name is known by the role. */
function nameOf({ name, module, args }: Task): Value {
  if (textOf(name) !== '' || module !== 'include_role') return name;
  return args.get('name') ?? args.get('role') ?? args.get(FREE_FORM) ?? name;
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

/** any_errors_fatal and max_fail_percentage: one host's failure may stop the others too, where they go together. */
function spreadFailure(
  batch: Batch,
  { task, hosts, settled }: Finished,
  ends: ReadonlyMap<string, StepEnd>,
): Ends {
  if (batch.strategy !== 'linear') return ends;
  const failed = hosts.filter((host) => ends.get(host)?.signal instanceof TaskFailed);
  const lost = hosts.filter((host) => ends.get(host)?.signal !== undefined);
  const [example] = failed;
  if (example === undefined && lost.length === 0) return ends;
  const isFatal = lost.length > 0 && anyErrorsFatal(batch, task, lost[0] ?? '');
  const unsaved = failed.filter((host) => !batch.isRescued(host)).length;
  const isTooMany = unsaved > 0 && exceedsFailures(batch, unsaved);
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
  try {
    return batch.turn(task, host).flag('any_errors_fatal') ?? batch.run.options.anyErrorsFatal;
  } catch {
    return true; // Who wrote it wanted to be strict.
  }
}

/** Strictly more than the allowed share of the batch has failed; failures of the whole run count. */
function exceedsFailures(batch: Batch, failing: number): boolean {
  const keyword = batch.context.play.keywords.get('max_fail_percentage');
  if (keyword === undefined || keyword === null) return false;
  const allowed = Number(String(batch.context.renderForPlay(keyword)).replace('%', ''));
  return ((batch.run.failures + failing) / batch.context.batch.length) * 100 > allowed;
}
