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
const FOR_ALL = new Set(['clear_facts', 'clear_host_errors', 'end_play', 'end_batch', 'refresh_inventory', 'noop']);

/** Carries out a meta task for the hosts that are at it. */
export async function runMeta(
  batch: Batch,
  task: Task,
  hosts: readonly string[],
): Promise<ReadonlyMap<string, StepEnd>> {
  const action = metaAction(task) ?? 'noop';
  const [first] = hosts;
  if (FOR_ALL.has(action)) {
    const ignoresWhen = action === 'refresh_inventory';
    const isWanted = first !== undefined && (ignoresWhen || batch.holds(task, first));
    return new Map(await same(hosts, isWanted ? () => forAll(batch, action) : () => ({ signal: undefined, blocks: [] })));
  }
  const ends = await Promise.all(hosts.map(async (host) => [host, await forHost(batch, task, host)] as const));
  return new Map(ends);
}

async function same(hosts: readonly string[], make: () => StepEnd): Promise<[string, StepEnd][]> {
  const end = make();
  return hosts.map((host) => [host, end]);
}

function forAll({ run, context, stop }: Batch, action: string): StepEnd {
  const ended: StepEnd = { signal: new HostEnded(), blocks: [] };
  switch (action) {
    case 'clear_facts':
      for (const host of context.batch) run.variablesOf(host).clearFacts();
      break;
    case 'clear_host_errors':
      run.failed.clear();
      run.unreachable.clear();
      break;
    case 'refresh_inventory':
      run.services.inventory.refresh();
      run.refreshInventory();
      break;
    case 'end_play':
      stop.play = true;
      return ended;
    case 'end_batch':
      return ended;
    default:
      break;
  }
  return { signal: undefined, blocks: [] };
}

async function forHost(batch: Batch, task: Task, host: string): Promise<StepEnd> {
  const action = metaAction(task);
  if (action === 'reset_connection') {
    const { connection } = taskSettings(batch.turn(task, host));
    await batch.run.services.sessions.drop(connection);
    return { signal: undefined, blocks: [] };
  }
  if (!batch.holds(task, host)) return { signal: undefined, blocks: [] };
  if (action === 'end_host') return { signal: new HostEnded(), blocks: [] };
  if (action === 'end_role') return { signal: new RoleEnded(task.parent.role), blocks: [] };
  return { signal: undefined, blocks: [] };
}
