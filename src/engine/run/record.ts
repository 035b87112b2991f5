/** What becomes of a result: shown, counted, registered, remembered as facts. */

import type { RunEffects } from '../module.ts';
import type { Task } from '../playbook/model.ts';
import { type Dict, isDict, type Value } from '../values.ts';
import type { HostVariables } from '../vars/host-variables.ts';
import type { Batch } from './batch.ts';
import { censored, type ResultInfo, type TaskInfo } from './events.ts';
import { isTrue, keptResult, type Outcome, outcomeOf, statusOf } from './outcome.ts';
import type { TaskWatch } from './run-task.ts';
import { asksForSilence, shownResult } from './silence.ts';

/** An outcome that has been shown and counted. */
export interface Settled {
  readonly outcome: Outcome;
  /** False where the result is another host's (run_once). */
  readonly isOwn: boolean;
}

interface Recording {
  readonly task: Task;
  readonly info: TaskInfo;
  readonly host: string;
}

/** Shows what a task does on a host while it goes on, and settles its outcome at the end. */
export function record(
  batch: Batch,
  recording: Recording,
): {
  readonly watch: TaskWatch;
  finish(outcome: Outcome, durationMs: number): Settled;
} {
  const { emit } = batch.run.services;
  const { task, info, host } = recording;
  const hidden = isHidden(batch, recording);
  const watch: TaskWatch = {
    item: (outcome, label, durationMs) => {
      const showing = { hidden, label, durationMs };
      // Whether a failure is ignored is told with the result of the whole loop.
      const item = { ...outcome, ignored: false };
      emit({ type: 'item', task: info, info: shown(recording, item, showing) });
      // What an item sets, the next one sees.
      storeFacts(batch, task, { host, outcome });
    },
    retry: (result, left) =>
      emit({ type: 'retry', task: info, host, left, result: hidden ? censored(false) : result }),
  };
  const finish = (outcome: Outcome, durationMs: number): Settled => {
    // What an include brings in is counted when it has been read.
    if (outcome.includes.length === 0) count(batch, host, outcome);
    const looped = task.loop !== undefined && outcome.result.has('results');
    emit({
      type: 'result',
      task: info,
      looped,
      info: shown(recording, outcome, { hidden, label: undefined, durationMs }),
    });
    return { outcome, isOwn: true };
  };
  return { watch, finish };
}

/** Shows a task that its conditions keep from running, without counting it. */
export function showSkipped(batch: Batch, recording: Recording, reason: string): void {
  const outcome = outcomeOf({ skipped: true, skip_reason: reason });
  const showing = { hidden: false, label: undefined, durationMs: 0 };
  const { info: task } = recording;
  const info = shown(recording, outcome, showing);
  batch.run.services.emit({ type: 'result', task, looped: false, info });
}

interface Showing {
  readonly hidden: boolean;
  readonly label: string | undefined;
  readonly durationMs: number;
}

const VERBOSE_MODULES = new Set(['debug', 'assert']);

function shown({ host, info, task }: Recording, outcome: Outcome, showing: Showing): ResultInfo {
  const { durationMs } = showing;
  const { result, hides, ignored, delegate, diffs, plan, unknown, ran } = outcome;
  const hidden = showing.hidden || hides === 'result';
  const status = statusOf(result);
  const label = hidden && showing.label !== undefined ? '(censored due to no_log)' : showing.label;
  return {
    host,
    delegate,
    status,
    result: shownResult(outcome, hidden),
    ignored,
    ran,
    label,
    diffs: hidden ? [] : diffs,
    alwaysVerbose: VERBOSE_MODULES.has(info.module) && !hidden && !isQuiet(task),
    unknown,
    plan: hidden ? undefined : plan,
    durationMs,
  };
}

/** assert's `quiet`. */
function isQuiet({ args }: Task): boolean {
  const quiet = args.get('quiet');
  return quiet === true || (typeof quiet === 'string' && /^(yes|on|1|true|t|y)$/i.test(quiet));
}

function isHidden(batch: Batch, { task, host }: Recording): boolean {
  return asksForSilence(() => batch.turn(task, host), batch.run.options.noLog);
}

/** Counts as Ansible's recap does: an ignored failure is ok and ignored; a failure is counted when nothing rescues it. */
function count(batch: Batch, host: string, { result, ignored }: Outcome): void {
  const stats = batch.run.statsOf(host);
  const status = statusOf(result);
  if (ignored) {
    stats.ok += 1;
    stats.ignored += 1;
    if (isTrue(result, 'changed')) stats.changed += 1;
    return;
  }
  if (status === 'skipped') stats.skipped += 1;
  if (status === 'ok' || status === 'changed') stats.ok += 1;
  if (status === 'changed') stats.changed += 1;
  if (status !== 'unreachable') return;
  stats.unreachable += 1;
  batch.run.unreachable.add(host);
}

interface Arrived {
  readonly host: string;
  readonly outcome: Outcome;
}

/** Stores what the result means for variables, facts and the inventory. */
export function applyEffects(batch: Batch, task: Task, { host, outcome }: Arrived): void {
  storeFacts(batch, task, { host, outcome });
  register(batch, task, { host, outcome });
}

/** The same for the host that did the work: what the items of a loop change of the run was stored with each of them. */
export function applyOwnEffects(batch: Batch, task: Task, { host, outcome }: Arrived): void {
  if (task.loop === undefined) storeFacts(batch, task, { host, outcome });
  register(batch, task, { host, outcome });
}

function register(batch: Batch, task: Task, { host, outcome }: Arrived): void {
  const name = task.keywords.get('register');
  if (typeof name !== 'string') return;
  const variables = batch.run.variablesOf(host);
  variables.setVariables(new Map([[name, kept(outcome.result)]]));
  variables.setGuessed([name], outcome.guessed);
}

/** The result as variables keep it: without the arguments, save in the results of a loop's items. */
function kept(result: Dict): Value {
  return new Map([...keptResult(result)].filter(([key]) => key !== 'invocation'));
}

/** `setup` may gather a part only, whatever it is asked for; Ansible's smart gathering does not rely on it. */
const GATHERS = /^(?:ansible\.(?:builtin|legacy)\.)?gather_facts$/;

function storeFacts(batch: Batch, task: Task, { host, outcome }: Arrived): void {
  const owner = batch.run.variablesOf(factOwner(batch, task, { host, outcome }));
  const isFacts = task.module !== 'set_fact' && task.module !== 'include_vars';
  if (isFacts) for (const facts of factsIn(outcome.result)) owner.addFacts(facts);
  for (const effects of outcome.runEffects) {
    applyRunEffects(batch, owner, effects);
    const { setFacts = new Map(), includeVars = new Map() } = effects;
    owner.setGuessed([...setFacts.keys(), ...includeVars.keys()].map(String), outcome.guessed);
  }
  if (GATHERS.test(task.action) && statusOf(outcome.result) === 'ok') owner.markGathered();
}

/** The host that facts belong to: the delegate with delegate_facts, else the task's own. */
function factOwner(batch: Batch, task: Task, { host, outcome }: Arrived): string {
  const { target } = outcome;
  if (target === undefined || target === host) return host;
  return batch.turn(task, host).flag('delegate_facts') === true ? target : host;
}

function factsIn(result: Dict): Dict[] {
  const results = result.get('results');
  const items = Array.isArray(results) ? results.filter(isDict) : [];
  return [result, ...items].flatMap((each) => {
    const facts = (each as Dict).get('ansible_facts'); // Keys of results are text.
    return isDict(facts) ? [facts as Dict] : [];
  });
}

function applyRunEffects(batch: Batch, owner: HostVariables, effects: RunEffects): void {
  const { setFacts, cacheable = false, includeVars, addHost, groupBy } = effects;
  const { inventory } = batch.run.services;
  if (setFacts !== undefined) owner.setVariables(setFacts, { cacheable });
  if (includeVars !== undefined) owner.addIncluded(includeVars);
  if (addHost !== undefined) inventory.addHost(addHost.name, addHost.groups, addHost.variables);
  if (groupBy !== undefined) inventory.addToGroup(owner.name, groupBy.group, groupBy.parents);
  if (addHost !== undefined || groupBy !== undefined) batch.run.refreshInventory();
}
