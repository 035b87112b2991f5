/** Static imports: files and roles whose tasks take the place of the import when the playbook is loaded. */
import { join, resolve } from 'node:path';
import { toBoolean } from '../to-boolean.ts';
import { type Dict, type Position, TrustedTemplate, type Value } from '../values.ts';
import { FREE_FORM } from './action.ts';
import { loadRole } from './load-role.ts';
import { enclosing, type Node, type Task } from './model.ts';
import { directoryOf, firstFile, type Source, textOf } from './source.ts';
import { emptyBlock, type LoadFile, type TaskPlace } from './task-place.ts';

/** Name of the file of an include or import as it was written: `file`, or the free-form text. */
function includeFile(task: Task): Value | undefined {
  return task.args.get('file') ?? task.args.get(FREE_FORM);
}

/** Where the name of that file is written. */
export function placeOfFile({ argPositions, position }: Task): Position {
  return argPositions.get('file') ?? argPositions.get(FREE_FORM) ?? position;
}

/** Directories in which an included file is looked for. */
export function includeDirectories(task: Task, playbookDir: string): string[] {
  const roles = [...enclosing(task.parent)].flatMap(({ role }) =>
    role === undefined ? [] : [role.path],
  );
  const folders = task.isHandler ? ['handlers', 'tasks', '.'] : ['tasks', '.'];
  const inRoles = roles.flatMap((path) => folders.map((folder) => join(path, folder)));
  return [...new Set([directoryOf(task.file), ...inRoles, playbookDir])];
}

/** The tasks of an import_tasks. */
export function importTasks(
  source: Source,
  task: Task,
  place: TaskPlace,
  loadFile: LoadFile,
): Node[] {
  noLoop(source, task);
  const name = staticText(source, includeFile(task), task, place);
  if (name === undefined) return [];
  const file = firstFile(includeDirectories(task, place.playbookDir), [name]);
  if (file === undefined) {
    const places = includeDirectories(task, place.playbookDir).join(', ');
    source.problem(placeOfFile(task), `the file "${name}" was not found`, `searched in ${places}`);
    return [];
  }
  if (place.imports.includes(resolve(file))) {
    source.problem(task.position, `"${name}" imports itself`, 'use include_tasks with a condition');
    return [];
  }
  const block = emptyBlock('import', place, task.position, {
    keywords: task.keywords,
    vars: task.vars,
  });
  block.block = loadFile(source, file, { ...place, parent: block });
  return place.handlers ? block.block : [block];
}

function noLoop(source: Source, task: Task): void {
  if (task.loop === undefined) return;
  const include = task.module.replace('import', 'include');
  source.problem(task.loop.position, `${task.module} cannot loop`, `use ${include}`);
}

function staticText(
  source: Source,
  value: Value | undefined,
  task: Task,
  place: TaskPlace,
): string | undefined {
  if (value !== undefined) return textOf(staticValue(source, value, task, place));
  source.problem(task.position, `${task.module} names no file`, 'add "file: …"');
  return undefined;
}

function staticValue(
  source: Source,
  value: Value,
  task: Task,
  place: TaskPlace,
): Value | undefined {
  try {
    return source.options.render(value, staticVariables(source, task, place));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint =
      'an import is resolved before hosts are known; use an include for names with facts or host variables';
    const position = value instanceof TrustedTemplate ? value.position : task.position;
    source.problem(position, why, hint);
    return undefined;
  }
}

/** The variables that are known before hosts are, the strongest last. */
function staticVariables({ options }: Source, task: Task, place: TaskPlace): Dict {
  const { role } = place.parent;
  const around = [...enclosing(place.parent)].toReversed();
  return new Map<string, Value>([
    ...(role?.defaults ?? []),
    ...place.variables,
    ...(role?.vars ?? []),
    ...around.flatMap(({ kind, vars }) => (kind === 'play' ? [] : [...vars])),
    ...task.vars,
    ...options.extraVars,
    ...placeVariables(place),
  ]);
}

function placeVariables({ parent: { role }, playbookDir }: TaskPlace): [string, Value][] {
  const ofRole: [string, Value][] =
    role === undefined
      ? []
      : [
          ['role_path', role.path],
          ['role_name', role.name],
        ];
  return [['playbook_dir', resolve(playbookDir)], ...ofRole];
}

/** The role of an import_role. */
export function importRole(
  source: Source,
  task: Task,
  place: TaskPlace,
  loadFile: LoadFile,
): Node[] {
  noLoop(source, task);
  const nameOf = task.args.get('name') ?? task.args.get('role') ?? task.args.get(FREE_FORM);
  const name = staticText(source, nameOf, task, place);
  if (name === undefined) return [];
  const outer = emptyBlock('import', place, task.position, {
    keywords: task.keywords,
    vars: task.vars,
  });
  const given = (key: string) => {
    const value = task.args.get(key) ?? undefined;
    return value === undefined ? undefined : staticValue(source, value, task, place);
  };
  const from = (key: string) => textOf(given(key));
  const flag = (key: string) => toBoolean(given(key) ?? true);
  const role = loadRole(source, {
    name,
    place: { ...place, parent: outer },
    position: task.position,
    loadFile,
    exported: flag('public'),
    how: 'task',
    taskVars: task.vars,
    allowDuplicates: flag('allow_duplicates'),
    tasksFrom: from('tasks_from'),
    varsFrom: from('vars_from'),
    defaultsFrom: from('defaults_from'),
    handlersFrom: from('handlers_from'),
    validate: flag('rolespec_validate'),
  });
  outer.block = role === undefined ? [] : [role];
  return [outer];
}
