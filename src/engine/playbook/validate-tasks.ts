/** Checks the arguments of tasks against their modules before anything is contacted. */
import type { Problem } from '../../shared/errors.ts';
import { checkArgs } from '../../shared/validate.ts';
import type { Module } from '../module.ts';
import { Float, TrustedTemplate, toPlain, type Value, VaultText } from '../values.ts';
import { FREE_FORM } from './action.ts';
import { EVERY_TASK, isReached, isUnconditional, mayFail } from './certainty.ts';
import { inheritedBy } from './inherited.ts';
import { isInclude, type Node, type Task } from './model.ts';
import type { Source } from './source.ts';

/** Where the modules come from. */
interface Modules {
  load(name: string): Promise<Module>;
}

/**
 * Records everything wrong with the arguments of the tasks in some nodes, at the place of each argument. A task that
 * may not run, or with whose failure the author reckons, fails when it is reached: that is only worth a warning.
 */
export async function validateTasks(
  source: Source,
  nodes: readonly Node[],
  modules: Modules,
): Promise<void> {
  const tasks = allTasks(nodes);
  const problems = await Promise.all(tasks.map((task) => argumentProblems(task, modules)));
  tasks.forEach((task, i) => {
    const isCertain = isReached(task, EVERY_TASK) && isUnconditional(task) && !mayFail(task);
    (isCertain ? source.problems : source.warnings).push(...(problems[i] ?? []));
  });
}

/** Every task in some nodes, those of rescue and always too. */
export function allTasks(nodes: readonly Node[]): Task[] {
  return nodes.flatMap((node) =>
    node.node === 'task' ? [node] : allTasks([...node.block, ...node.rescue, ...node.always]),
  );
}

/** Everything that is wrong with the arguments of a task, at the place of each argument. */
export async function argumentProblems(task: Task, modules: Modules): Promise<Problem[]> {
  if (isInclude(task) || task.implicit === true || task.module === '') return [];
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
