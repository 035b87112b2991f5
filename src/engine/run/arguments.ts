/** The arguments of a task, as values of the language: defaults, templates and free-form text put together. */
import { TaskError } from '../../shared/errors.ts';
import type { Module } from '../module.ts';
import { FREE_FORM } from '../playbook/action.ts';
import { type Dict, isDict, OMIT, type Value } from '../values.ts';
import type { TaskTurn } from './task-turn.ts';

/** Arguments as they were written, before rendering. */
function writtenArgs(turn: TaskTurn, module: Module): Dict {
  const { task } = turn;
  const given = new Map([...templateArgs(turn), ...task.args]);
  const free = given.get(FREE_FORM);
  if (free !== undefined) {
    given.delete(FREE_FORM);
    if (module.freeForm === undefined)
      throw new TaskError(`${module.name} takes no free-form text`);
    given.set(module.freeForm, free);
  }
  return given;
}

/**
 * Arguments ready for the module, its defaults below the task's own; those that are expressions stay as they were
 * written.
 */
export function renderedArgs(turn: TaskTurn, module: Module, defaults: ModuleDefaults): Dict {
  const asWritten = new Set(module.asWritten ?? []);
  const rendered = new Map<string, Value>();
  for (const [name, value] of withDefaults(module, defaults, writtenArgs(turn, module))) {
    const made = asWritten.has(name) ? value : turn.render(value);
    if (made !== OMIT) rendered.set(name, made);
  }
  return rendered;
}

/** `args: "{{ … }}"` and `module: "{{ … }}"`: templates that must come to dicts. */
function templateArgs(turn: TaskTurn): Dict {
  const dicts = turn.task.argsTemplates.map((template) => {
    const value = turn.render(template);
    if (value === OMIT) return new Map() as Dict;
    if (isDict(value)) return value as Dict; // Names of arguments are text in any valid task.
    throw new TaskError('the arguments do not come to a mapping', {
      hint: 'give a dict of arguments',
    });
  });
  return new Map(dicts.flatMap((dict) => [...dict]));
}

/** What the `module_defaults` around a task say, the innermost last. */
export type ModuleDefaults = readonly ReadonlyMap<Value, Value>[];

/** The `module_defaults` of a task, rendered. */
export function moduleDefaults(turn: TaskTurn): ModuleDefaults {
  return turn.inherited.moduleDefaults.map((entry) => {
    const rendered = turn.render(entry);
    if (isDict(rendered)) return rendered;
    throw new TaskError('module_defaults is not a mapping of modules to arguments');
  });
}

/** Arguments with the module's defaults below them. */
export function withDefaults(module: Module, defaults: ModuleDefaults, args: Dict): Dict {
  const names = new Set([module.name, ...module.aliases]);
  const merged = new Map<string, Value>();
  for (const [name, members] of defaults.flatMap((entry) => [...entry])) {
    if (!names.has(String(name)) || !isDict(members)) continue;
    for (const [key, value] of members) merged.set(String(key), value);
  }
  return new Map([...merged, ...args]);
}
