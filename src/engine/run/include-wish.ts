/** What include_tasks and include_role ask for when their turn comes. */
import { FREE_FORM } from '../playbook/action.ts';
import { type Dict, isDict, OMIT, TrustedTemplate, type Value } from '../values.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { TaskTurn } from './task-turn.ts';

/** The outcome of an include statement: what it brings in, with the variables that it hands down. */
export function includeOutcome(turn: TaskTurn): Outcome {
  const { task } = turn;
  const args = new Map<string, Value>();
  for (const [name, value] of task.args) {
    const rendered = name === 'apply' ? withoutOmitted(turn, value) : turn.render(value);
    const key = name === FREE_FORM ? primary(task.module) : name;
    if (rendered !== OMIT) args.set(key, rendered);
  }
  const file = args.get('file') ?? args.get('name') ?? args.get('role') ?? null;
  const result = new Map<string, Value>([
    ['changed', false],
    ['failed', false],
    [task.module === 'include_tasks' ? 'include' : 'include_role', file],
    ['include_args', new Map() as Dict],
  ]);
  const local = new Map([...task.vars, ...itemsOf(turn)]);
  return outcomeOf(result, { includes: [{ args, local, label: undefined }] });
}

/** What is handed down is rendered by each task, but `omit` is decided here. */
function withoutOmitted(turn: TaskTurn, apply: Value): Value {
  if (!isDict(apply)) return turn.render(apply);
  return new Map([...apply].filter(([, value]) => !isOmitted(turn, value)));
}

function isOmitted(turn: TaskTurn, value: Value): boolean {
  try {
    return value instanceof TrustedTemplate && turn.render(value) === OMIT;
  } catch {
    return false; // The task to which it is handed down may know more.
  }
}

function primary(module: string): string {
  return module === 'include_tasks' ? 'file' : 'name';
}

/** Loop variables of the include's own item: the included tasks see them too. */
function itemsOf(turn: TaskTurn): Map<string, Value> {
  const loopVar = turn.scope.get('ansible_loop_var');
  if (turn.task.loop === undefined || typeof loopVar !== 'string') return new Map();
  const names = ['ansible_loop_var', loopVar, 'ansible_index_var', 'ansible_loop'];
  const index = turn.scope.get('ansible_index_var');
  if (typeof index === 'string') names.push(index);
  return new Map(
    names.flatMap((name) => {
      const value = turn.scope.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
