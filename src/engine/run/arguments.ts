/** The arguments of a task, as values of the language: defaults, templates and free-form text put together. */
import { TaskError } from '../../shared/errors.ts';
import type { Module } from '../module.ts';
import { FREE_FORM } from '../playbook/action.ts';
import { type Dict, isDict, OMIT, type Value } from '../values.ts';
import type { TaskTurn } from './task-turn.ts';

/** Arguments as they were written, before rendering: the module's defaults below the task's own. */
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
  return new Map([...defaultsFor(turn, module), ...given]);
}

/** Arguments ready for the module; those that are expressions stay as they were written. */
export function renderedArgs(turn: TaskTurn, module: Module): Dict {
  const asWritten = new Set(module.asWritten ?? []);
  const rendered = new Map<string, Value>();
  for (const [name, value] of writtenArgs(turn, module)) {
    const made = asWritten.has(name) ? value : turn.render(value);
    if (made !== OMIT) rendered.set(name, made);
  }
  return rendered;
}

/** `args: "{{ … }}"`: a template that must come to a dict. */
function templateArgs(turn: TaskTurn): Dict {
  const { argsTemplate } = turn.task;
  if (argsTemplate === undefined) return new Map();
  const value = turn.render(argsTemplate);
  if (isDict(value)) return value as Dict; // Names of arguments are text in any valid task.
  throw new TaskError('args does not come to a mapping', { hint: 'give a dict of arguments' });
}

/** What `module_defaults` say for a module, the innermost last. */
function defaultsFor(turn: TaskTurn, module: Module): Dict {
  const names = new Set([module.name, ...module.aliases]);
  const merged = new Map<string, Value>();
  for (const entry of turn.inherited.moduleDefaults) {
    const rendered = turn.render(entry);
    if (!isDict(rendered))
      throw new TaskError('module_defaults is not a mapping of modules to arguments');
    for (const [name, defaults] of rendered) {
      if (!names.has(String(name)) || !isDict(defaults)) continue;
      for (const [key, value] of defaults) merged.set(String(key), value);
    }
  }
  return merged;
}
