/** Checks the arguments of tasks against their modules before anything is contacted. */
import type { Problem } from '../../shared/errors.ts';
import { checkArgs } from '../../shared/validate.ts';
import type { Module } from '../module.ts';
import { Float, TrustedTemplate, toPlain, type Value, VaultText } from '../values.ts';
import { FREE_FORM } from './action.ts';
import { inheritedBy } from './inherited.ts';
import { type Block, enclosing, isInclude, type Node, type Task } from './model.ts';
import type { Source } from './source.ts';

/** Where the modules come from. */
interface Modules {
  load(name: string): Promise<Module>;
}

/**
 * Records everything wrong with the arguments of the tasks in some nodes, at the place of each argument. Where the
 * author reckons with a failure, the task fails when it is reached, so that is only worth a warning.
 */
export async function validateTasks(
  source: Source,
  nodes: readonly Node[],
  modules: Modules,
): Promise<void> {
  const tasks = allTasks(nodes);
  const problems = await Promise.all(tasks.map((task) => validateTask(task, modules)));
  tasks.forEach((task, i) => {
    (mayFail(task) ? source.warnings : source.problems).push(...(problems[i] ?? []));
  });
}

/** Whether the playbook goes on after a failure of the task, or decides itself what a failure is. */
function mayFail(task: Task): boolean {
  const { nearest } = inheritedBy(task);
  const isRescued = [...enclosing(task.parent)].some(
    (container) => 'rescue' in container && (container as Block).rescue.length > 0,
  );
  return (
    isRescued || (nearest('ignore_errors') ?? false) !== false || task.keywords.has('failed_when')
  );
}

/** Every task in some nodes, those of rescue and always too. */
export function allTasks(nodes: readonly Node[]): Task[] {
  return nodes.flatMap((node) =>
    node.node === 'task' ? [node] : allTasks([...node.block, ...node.rescue, ...node.always]),
  );
}

async function validateTask(task: Task, modules: Modules): Promise<Problem[]> {
  if (isInclude(task) || task.implicit === true || task.moduleTemplate !== undefined) return [];
  const module = await modules.load(task.module);
  // What the task leaves out, defaults or a template may bring.
  const mayHaveMore = task.argsTemplates.length > 0 || inheritedBy(task).moduleDefaults.length > 0;
  const problems = checkArgs(module.args, module, inputOf(task, module), { isTemplated });
  return problems
    .filter(({ path }) => path.length > 0 || !mayHaveMore)
    .map(({ path, message, hint }) => ({
      place:
        task.argPositions.get(String(path[0])) ?? task.argPositions.get(FREE_FORM) ?? task.position,
      message: `${task.action}: ${message}`,
      hint,
    }));
}

function inputOf(task: Task, module: Module): Record<string, unknown> {
  const members = [...task.args].map(([name, value]) => [
    name === FREE_FORM ? (module.freeForm ?? name) : name,
    toChecked(value),
  ]);
  return Object.fromEntries(members);
}

/** Plain data in which templates, vault scalars and floats are still what they are. */
function toChecked(value: Value): unknown {
  if (value instanceof TrustedTemplate || value instanceof VaultText || value instanceof Float)
    return value;
  if (Array.isArray(value)) return value.map(toChecked);
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, member]) => [String(key), toChecked(member)]));
  }
  return toPlain(value);
}

function isTemplated(value: unknown): boolean {
  return value instanceof TrustedTemplate || value instanceof VaultText;
}
