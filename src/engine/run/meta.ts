/** The actions of the meta module, which the engine itself carries out. */
import { FREE_FORM } from '../playbook/action.ts';
import type { Task } from '../playbook/model.ts';
import { textOf } from '../playbook/source.ts';
import type { Batch, StepEnd } from './batch.ts';
import { HostEnded, RoleEnded } from './signals.ts';
import { taskSettings } from './task-settings.ts';

/** What a meta task asks for; undefined for any other task. */
export function metaAction(task: Task): string | undefined {
  return task.module === 'meta' ? textOf(task.args.get(FREE_FORM)) : undefined;
}

/** Actions that one host decides for all of the batch. */
const FOR_ALL = new Set([
  'clear_facts',
  'clear_host_errors',
  'end_play',
  'end_batch',
  'refresh_inventory',
  'noop',
]);

const GOES_ON: StepEnd = { signal: undefined, blocks: [] };

/** Called with a host whose conditions say no. */
type Skip = (host: string) => void;

/** Carries out a meta task for the hosts that are at it. */
export async function runMeta(
  batch: Batch,
  task: Task,
  hosts: readonly string[],
  skip: Skip,
): Promise<ReadonlyMap<string, StepEnd>> {
  const action = metaAction(task) ?? 'noop';
  if (FOR_ALL.has(action)) return runForAll(batch, task, hosts, skip);
  const ends = hosts.map(
    async (host) => [host, await forHost(batch, task, { host, skip })] as const,
  );
  return new Map(await Promise.all(ends));
}

/** The first host decides for all. */
function runForAll(
  batch: Batch,
  task: Task,
  hosts: readonly string[],
  skip: Skip,
): Map<string, StepEnd> {
  const action = metaAction(task) ?? 'noop';
  const [first] = hosts;
  const isWanted =
    action === 'refresh_inventory' || (first !== undefined && batch.holds(task, first));
  if (!isWanted && first !== undefined) skip(first);
  const end = isWanted ? forAll(batch, action) : GOES_ON;
  return new Map(hosts.map((host) => [host, end]));
}

function forAll({ run, context, stop }: Batch, action: string): StepEnd {
  const ended: StepEnd = { signal: new HostEnded(), blocks: [] };
  switch (action) {
    case 'clear_facts':
      for (const host of context.batch) run.variablesOf(host).clearFacts();
      return GOES_ON;
    case 'clear_host_errors':
      run.failed.clear();
      run.unreachable.clear();
      return GOES_ON;
    case 'refresh_inventory':
      run.services.inventory.refresh();
      run.refreshInventory();
      return GOES_ON;
    case 'end_play':
      stop.play = true;
      return ended;
    case 'end_batch':
      return ended;
    default:
      return GOES_ON;
  }
}

interface ForHost {
  readonly host: string;
  readonly skip: Skip;
}

async function forHost(batch: Batch, task: Task, { host, skip }: ForHost): Promise<StepEnd> {
  const action = metaAction(task);
  if (action === 'reset_connection') {
    const { connection } = taskSettings(batch.turn(task, host));
    await batch.run.services.sessions.drop(connection);
    return GOES_ON;
  }
  if (!batch.holds(task, host)) {
    skip(host);
    return GOES_ON;
  }
  if (action === 'end_host') return { signal: new HostEnded(), blocks: [] };
  if (action === 'end_role') return { signal: new RoleEnded(task.parent.role), blocks: [] };
  return GOES_ON;
}
