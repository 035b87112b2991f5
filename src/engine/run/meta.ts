/** The actions of the meta module, which the engine itself carries out. */
import { TaskError } from '../../shared/errors.ts';
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
]);

/** Actions that are carried out whatever the conditions say. */
const UNCONDITIONAL = new Set(['noop', 'refresh_inventory', 'reset_connection']);

const GOES_ON: StepEnd = { signal: undefined, blocks: [] };

/** What a meta task came to. */
export interface MetaEnd {
  readonly end: StepEnd;
  readonly isSkipped: boolean;
  /** What was done, for those who want to see it. */
  readonly told: string;
}

/** The hosts of a meta task in groups: the first of each decides for the group. */
export function metaGroups(task: Task, hosts: readonly string[]): (readonly string[])[] {
  return FOR_ALL.has(metaAction(task) ?? '') ? [hosts] : hosts.map((host) => [host]);
}

/** Carries out a meta task as its conditions say for a host. */
export async function runMeta(batch: Batch, task: Task, host: string): Promise<MetaEnd> {
  const action = metaAction(task) ?? 'noop';
  if (UNCONDITIONAL.has(action)) {
    const isConditional = batch.turn(task, host).inherited.when.length > 0;
    if (isConditional) batch.run.warn(`${action} task does not support when conditional`);
  } else if (!batch.holds(task, host)) {
    const told = `${action} conditional evaluated to False for ${host}`;
    return { end: GOES_ON, isSkipped: true, told };
  }
  const { end = GOES_ON, told } = await carryOut(batch, task, { action, host });
  return { end, isSkipped: false, told };
}

interface Asked {
  readonly action: string;
  readonly host: string;
}

interface Done {
  readonly end?: StepEnd;
  readonly told: string;
}

async function carryOut(batch: Batch, task: Task, { action, host }: Asked): Promise<Done> {
  switch (action) {
    case 'flush_handlers':
      if (task.isHandler) throw new TaskError('flush_handlers cannot be used as a handler');
      batch.handlers.settle(host);
      return { end: { ...GOES_ON, flushes: true }, told: `triggered running handlers for ${host}` };
    case 'reset_connection':
      await batch.run.services.sessions.drop(taskSettings(batch.turn(task, host)).connection);
      return { told: 'reset connection' };
    case 'end_host':
      return { end: ends(new HostEnded()), told: `ending play for ${host}` };
    case 'end_role':
      return { end: ends(new RoleEnded(task.parent.role)), told: `ending role for ${host}` };
    default:
      return forAll(batch, action);
  }
}

function forAll(batch: Batch, action: string): Done {
  const { run, context, stop } = batch;
  switch (action) {
    case 'clear_facts':
      for (const host of context.batch) run.variablesOf(host).clearFacts();
      return { told: 'facts cleared' };
    case 'clear_host_errors':
      batch.clearErrors();
      return { told: 'cleared host errors' };
    case 'refresh_inventory':
      run.services.inventory.refresh();
      run.refreshInventory();
      return { told: 'inventory successfully refreshed' };
    case 'end_play':
      stop.play = true;
      batch.endsAll = batch.strategy !== 'linear';
      return { end: ends(new HostEnded()), told: 'ending play' };
    case 'end_batch':
      batch.endsAll = batch.strategy !== 'linear';
      return { end: ends(new HostEnded()), told: 'ending batch' };
    default:
      return { told: action };
  }
}

function ends(signal: Error): StepEnd {
  return { signal, blocks: [] };
}
