/** The arguments of a task, as values of the language: defaults, templates and free-form text put together. */
import { TaskError } from '../../shared/errors.ts';
import type { Module } from '../module.ts';
import { FREE_FORM } from '../playbook/action.ts';
import { actionGroups, isActionGroup } from '../playbook/action-groups.ts';
import { textOf } from '../playbook/source.ts';
import { type Dict, hasTemplate, isDict, OMIT, TrustedTemplate, type Value } from '../values.ts';
import type { TaskTurn } from './task-turn.ts';

/** Arguments as they were written, before rendering. */
function writtenArgs(turn: TaskTurn, module: Module): Dict {
  const { task } = turn;
  const own = module.rendersNames === true ? withRenderedNames(turn, task.args) : task.args;
  const given = new Map([...templateArgs(turn), ...own]);
  const free = given.get(FREE_FORM);
  if (free !== undefined) {
    given.delete(FREE_FORM);
    if (module.freeForm === undefined)
      throw new TaskError(`${module.name} takes no free-form text`);
    given.set(module.freeForm, free);
  }
  return given;
}

/** Only names in the user's own files are rendered, never those that a template brings. */
function withRenderedNames(turn: TaskTurn, args: Dict): Dict {
  const { argPositions } = turn.task;
  const rendered = (name: string) =>
    hasTemplate(name) ? turn.render(new TrustedTemplate(name, argPositions.get(name))) : name;
  return new Map([...args].map(([name, value]) => [toText(rendered(name)), value]));
}

function toText(name: Value): string {
  const text = textOf(name);
  if (text === undefined) throw new TaskError('the name of a variable does not come to text');
  return text;
}

/**
 * Arguments ready for the module, its defaults below the task's own; those that are expressions stay as they were
 * written.
 */
export function renderedArgs(turn: TaskTurn, module: Module): Dict {
  const asWritten = new Set(module.asWritten ?? []);
  const rendered = new Map<string, Value>();
  const called = { module, action: turn.task.action };
  for (const [name, value] of withDefaults(turn, called, writtenArgs(turn, module))) {
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

/** A module, and the name by which it is called. */
interface Called {
  readonly module: Module;
  readonly action: string;
}

/**
 * Arguments with what `module_defaults` say below them: what the innermost level gives to each group of the module,
 * then what that gives to the name by which it is called.
 */
export function withDefaults(turn: TaskTurn, called: Called, args: Dict): Dict {
  const { module } = called;
  const { catalogue } = turn.context.run.services;
  const ofGroups = new Map<string, Value>();
  const ofNames = new Map<string, Value>();
  for (const [key, defaults] of turn.inherited.moduleDefaults.flatMap(entriesOf)) {
    const groups = isActionGroup(key) ? actionGroups(key) : undefined;
    const isOurs = groups === undefined && catalogue.resolve(key) === module.name;
    if (isOurs) ofNames.set(shortName(key), defaults);
    if (groups?.some((group) => module.groups?.includes(group))) ofGroups.set(key, defaults);
  }
  const named = namesOf(called).map((name) => ofNames.get(name) ?? null);
  const chosen = [...ofGroups.values(), ...named].map((defaults) => turn.render(defaults));
  return new Map([...chosen.flatMap(entriesOf), ...args]);
}

/** The names whose defaults a call takes, the strongest last: those of another name of the module are not for it. */
function namesOf({ module, action }: Called): string[] {
  const name = shortName(action);
  return module.wrappers?.includes(name) ? [module.name, name] : [name];
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function entriesOf(value: Value): [string, Value][] {
  return isDict(value) ? [...value].map(([key, member]) => [String(key), member]) : [];
}
