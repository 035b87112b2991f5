/** Brings in the tasks that include_tasks and include_role asked for, once for all hosts that asked alike. */
import { resolve } from 'node:path';
import { TaskError } from '../../shared/errors.ts';
import { appliedProblem } from '../playbook/check-keywords.ts';
import { includeDirectories, placeOfFile } from '../playbook/load-import.ts';
import { loadRole } from '../playbook/load-role.ts';
import { loadTaskFile } from '../playbook/load-tasks.ts';
import { type Block, enclosing, type Task } from '../playbook/model.ts';
import { firstFile, Source, textOf } from '../playbook/source.ts';
import { emptyBlock, type RoleSink, type TaskPlace } from '../playbook/task-place.ts';
import { validateTasks } from '../playbook/validate-tasks.ts';
import { toBoolean } from '../to-boolean.ts';
import { type Dict, isDict, type Value } from '../values.ts';
import type { Batch, StepEnd } from './batch.ts';
import type { TaskInfo } from './events.ts';
import type { IncludeWish } from './outcome.ts';
import { record, type Settled } from './record.ts';

/** Deeper than any sensible playbook: an include that brings itself in. */
const MOST_NESTED_INCLUDES = 100;

export interface BroughtIn {
  readonly byHost: ReadonlyMap<string, StepEnd['blocks']>;
  /** Hosts whose include failed, with the failure. */
  readonly failures: ReadonlyMap<string, Settled>;
}

interface Variant {
  readonly block: Block;
  readonly index: number;
  readonly shown: string;
  readonly label: string | undefined;
  readonly hosts: string[];
}

interface Included {
  readonly task: Task;
  readonly info: TaskInfo;
}

/** Loads what the hosts' includes name. Identical wishes share one block, so that hosts stay in step. */
export async function bringIn(
  batch: Batch,
  { task, info }: Included,
  settled: ReadonlyMap<string, Settled>,
): Promise<BroughtIn> {
  const variants = new Map<string, Variant>();
  const byHost = new Map<string, { block: Block; variant: number }[]>();
  const failures = new Map<string, Settled>();
  for (const [host, { outcome, isOwn }] of settled) {
    const blocks: { block: Block; variant: number }[] = [];
    byHost.set(host, blocks);
    try {
      for (const wish of outcome.includes) {
        const variant = await variantOf(batch, task, { wish, variants });
        variant.hosts.push(host);
        blocks.push({ block: variant.block, variant: variant.index });
      }
    } catch (error) {
      // As in Ansible, ignore_errors is for the conditions and the loop of an include, not for what it reads.
      const failure = { ...batch.failure(task, host, error), ignored: false };
      const failed = record(batch, { task, info, host }).finish(failure, 0);
      failures.set(host, { ...failed, isOwn });
      byHost.set(host, []);
    }
  }
  shareFailure(settled, failures);
  for (const { shown, hosts, label } of variants.values()) {
    for (const host of hosts) batch.run.statsOf(host).ok += 1;
    batch.run.services.emit({ type: 'included', what: shown, hosts, label });
  }
  return { byHost, failures };
}

/** What one host included for all (run_once) fails for all. */
function shareFailure(settled: ReadonlyMap<string, Settled>, failures: Map<string, Settled>): void {
  const [failure] = failures.values();
  if (failure === undefined) return;
  for (const [host, { isOwn }] of settled) {
    if (!isOwn) failures.set(host, { ...failure, isOwn: false });
  }
}

interface Wished {
  readonly wish: IncludeWish;
  readonly variants: Map<string, Variant>;
}

async function variantOf(batch: Batch, task: Task, { wish, variants }: Wished): Promise<Variant> {
  const { args, local, label } = wish;
  const key = JSON.stringify([identity(args), identity(local)]);
  const known = variants.get(key);
  if (known !== undefined) return known;
  const { block, shown } = await load(batch, task, { args, local });
  const made = { block, shown, label, index: variants.size, hosts: [] };
  variants.set(key, made);
  return made;
}

/** A value as text that is equal only for equal values. */
function identity(value: Value): unknown {
  if (isDict(value)) return [...value].map(([key, member]) => [identity(key), identity(member)]);
  if (Array.isArray(value)) return value.map(identity);
  return typeof value === 'object' && value !== null
    ? { kind: value.constructor.name, text: textOf(value) ?? String(value) }
    : String(value);
}

interface Asked {
  readonly args: Dict;
  readonly local: Dict;
}

async function load(batch: Batch, task: Task, { args, local }: Asked) {
  const { context, run } = batch;
  if (
    [...enclosing(task.parent)].filter(({ kind }) => kind === 'include').length >
    MOST_NESTED_INCLUDES
  ) {
    throw new TaskError(
      `"${textOf(args.get('file') ?? args.get('name')) ?? ''}" is included inside itself without end`,
      {
        hint: 'add a condition that ends the includes',
      },
    );
  }
  const source = new Source(run.services.loader);
  const written = args.get('apply');
  const apply = isDict(written) ? (written as Dict) : (new Map() as Dict); // Keywords are text.
  const problem = appliedProblem(apply);
  const place = task.argPositions.get('apply') ?? task.position;
  if (problem !== undefined) throw new TaskError(problem, { place });
  const vars = apply.get('vars');
  const block = emptyBlock('include', { parent: task.parent }, task.position, {
    keywords: apply,
    vars: isDict(vars) ? (vars as Dict) : new Map(), // Names of variables are text.
    includeParams: local,
  });
  const inside: TaskPlace = {
    parent: block,
    file: task.file,
    playbookDir: context.play.playbookDir,
    handlers: false,
    imports: [],
    variables: new Map([...context.play.vars, ...run.options.extraVars]),
    roles: sinkOf(batch),
  };
  const shown =
    task.module === 'include_tasks'
      ? fillFromFile(source, task, { block, place: inside, args })
      : fillFromRole(source, task, { block, place: inside, args });
  await validateTasks(source, block.block, run.services.catalogue);
  for (const { message, place: position } of source.warnings) {
    run.services.emit({ type: 'warning', text: message, position });
  }
  source.throwProblems();
  return { block, shown };
}

function sinkOf(batch: Batch): RoleSink {
  return {
    addRole: (role) => batch.context.addRole(role),
    addHandlers: (handlers) => batch.handlers.add(handlers),
  };
}

interface Filling {
  readonly block: ReturnType<typeof emptyBlock>;
  readonly place: TaskPlace;
  readonly args: Dict;
}

function fillFromFile(source: Source, task: Task, { block, place, args }: Filling): string {
  const name = textOf(args.get('file'));
  if (name === undefined)
    throw new TaskError('include_tasks names no file', { hint: 'add "file: …"' });
  const directories = includeDirectories(task, place.playbookDir);
  const file = firstFile(directories, [name]);
  if (file === undefined) {
    throw new TaskError(`Could not find or access '${name}' on the Ansible Controller.`, {
      place: placeOfFile(task),
      hint: `searched in ${directories.join(', ')}`,
      result: { reason: `the file "${name}" was not found` },
    });
  }
  block.block = loadTaskFile(source, file, { ...place, handlers: task.isHandler });
  return resolve(file);
}

function fillFromRole(source: Source, task: Task, { block, place, args }: Filling): string {
  const name = textOf(args.get('name') ?? args.get('role'));
  if (name === undefined)
    throw new TaskError('include_role names no role', { hint: 'add "name: …"' });
  const from = (key: string) => textOf(args.get(key));
  const flag = (key: string, unset: boolean) => {
    const value = args.get(key);
    return value === undefined || value === null ? unset : toBoolean(value);
  };
  const role = loadRole(source, {
    name,
    place,
    position: task.position,
    loadFile: loadTaskFile,
    how: 'task',
    taskVars: block.includeParams ?? new Map(),
    exported: flag('public', false),
    allowDuplicates: flag('allow_duplicates', true),
    tasksFrom: from('tasks_from'),
    varsFrom: from('vars_from'),
    defaultsFrom: from('defaults_from'),
    handlersFrom: from('handlers_from'),
    validate: flag('rolespec_validate', true),
  });
  block.block = role === undefined ? [] : [role];
  return name;
}
