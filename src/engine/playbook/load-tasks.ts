/** Turns the YAML of task lists into blocks and tasks, with everything that can be resolved before a run. */
import { join, resolve } from 'node:path';
import { type Dict, type Position, TrustedTemplate, type Value } from '../values.ts';
import { toValue, type YamlList, type YamlMap, type YamlNode } from '../yaml-node.ts';
import { type Action, FREE_FORM, readAction } from './action.ts';
import { checkKeywords } from './check-keywords.ts';
import { INCLUDE_KEYWORDS, KEYWORDS, keywordsOf, type Level } from './keywords.ts';
import { type Block, type Container, enclosing, type Node, type Role, type Task } from './model.ts';
import { findRole, readArgumentSpec, readRole, roleFile } from './role-files.ts';
import {
  directoryOf,
  entryOf,
  firstFile,
  isVariableName,
  listItems,
  readVariables,
  type Source,
  textOf,
} from './source.ts';

/** Where a list of tasks stands. */
export interface TaskPlace {
  readonly parent: Container;
  readonly file: string;
  readonly playbookDir: string;
  readonly handlers: boolean;
  /** Files being imported, outermost first, to find cycles. */
  readonly imports: readonly string[];
  /** Variables that static names may use: extra vars and the play's own. */
  readonly variables: Dict;
  /** Takes the handlers and the identity of roles that are found on the way. */
  readonly roles: RoleSink;
}

/** Where roles met while loading leave what the play needs of them. */
export interface RoleSink {
  addRole(role: Role): void;
  addHandlers(handlers: readonly Node[]): void;
}

interface MutableBlock extends Omit<Block, 'block' | 'rescue' | 'always'> {
  block: Node[];
  rescue: Node[];
  always: Node[];
}

/** Loads every entry of a list of tasks. */
export function loadTasks(source: Source, list: YamlNode | undefined, place: TaskPlace): Node[] {
  return listItems(source, list, 'a list of tasks').flatMap((item) =>
    loadEntry(source, item, place),
  );
}

/** Loads the tasks of a file. */
export function loadTaskFile(source: Source, file: string, place: TaskPlace): Node[] {
  const node = source.read(file);
  if (node?.kind === 'map') {
    source.problem(
      node.position,
      `${file} is a mapping, not a list of tasks`,
      'start each task with "- "',
    );
    return [];
  }
  return loadTasks(source, node, { ...place, file, imports: [...place.imports, resolve(file)] });
}

function loadEntry(source: Source, item: YamlList['items'][number], place: TaskPlace): Node[] {
  if (item.kind !== 'map') {
    source.problem(
      item.position,
      'a task is a mapping',
      'write "- name: …" and the module below it',
    );
    return [];
  }
  const isBlock = ['block', 'rescue', 'always'].some((key) => entryOf(item, key) !== undefined);
  return isBlock ? [loadBlock(source, item, place)] : loadTask(source, item, place);
}

function loadBlock(source: Source, map: YamlMap, place: TaskPlace): Block {
  if (place.handlers)
    source.problem(map.position, 'a block cannot be a handler', 'use include_tasks');
  checkKeys(source, map, 'block');
  const block = emptyBlock('block', place, map.position, {
    keywords: readKeywords(source, map, 'block'),
    vars: readVariables(source, entryOf(map, 'vars')?.node, 'vars'),
  });
  const inside = { ...place, parent: block };
  block.name = entryValue(map, 'name') ?? '';
  block.block = loadTasks(source, entryOf(map, 'block')?.node, inside);
  block.rescue = loadTasks(source, entryOf(map, 'rescue')?.node, inside);
  block.always = loadTasks(source, entryOf(map, 'always')?.node, inside);
  if (entryOf(map, 'block') === undefined) {
    source.problem(
      map.position,
      'rescue and always need a block',
      'add "block:" with the tasks they guard',
    );
  }
  return block;
}

/** A container without tasks yet; they need it as their parent. */
export function emptyBlock(
  kind: Container['kind'],
  { parent }: Pick<TaskPlace, 'parent'>,
  position: Position,
  more: Partial<Pick<Container, 'keywords' | 'vars' | 'role' | 'includeParams'>> = {},
): MutableBlock & { name: Value } {
  return {
    node: 'block',
    kind,
    parent,
    keywords: more.keywords ?? new Map(),
    vars: more.vars ?? new Map(),
    role: more.role ?? parent.role,
    ...(more.includeParams !== undefined && { includeParams: more.includeParams }),
    position,
    name: '',
    block: [],
    rescue: [],
    always: [],
  };
}

function checkKeys(source: Source, map: YamlMap, level: Level): void {
  checkKeywords(source, level, map);
  for (const entry of map.entries) {
    const key = textOf(entry.key) ?? '';
    if (!KEYWORDS[key]?.levels.includes(level))
      source.unknownKey(entry, `a ${level}`, keywordsOf(level));
  }
}

/** Keywords of a mapping by name, as written. */
export function readKeywords(source: Source, map: YamlMap, level: Level): Map<string, Value> {
  const known = map.entries.filter(({ key }) => KEYWORDS[String(key)]?.levels.includes(level));
  const keywords = new Map(known.map(({ key, node }) => [String(key), toValue(node)]));
  const repeated = map.entries.find(({ key }) => key === undefined);
  if (repeated !== undefined) source.problem(repeated.keyPosition, 'a key is empty');
  return keywords;
}

function entryValue(map: YamlMap, key: string): Value | undefined {
  const entry = entryOf(map, key);
  return entry === undefined ? undefined : toValue(entry.node);
}

function loadTask(source: Source, map: YamlMap, place: TaskPlace): Node[] {
  const level: Level = place.handlers ? 'handler' : 'task';
  checkKeywords(source, level, map);
  checkRegister(source, map);
  const isKeyword = (key: string) => KEYWORDS[key]?.levels.includes(level) === true;
  const action = readAction(source, map, isKeyword, collectionsOf(source, map, place.parent));
  if (action === undefined) return [];
  const task = makeTask(source, map, action, place);
  if (action.module === 'import_tasks') return importTasks(source, task, place);
  if (action.module === 'import_role') return importRole(source, task, place);
  if (action.module === 'include_tasks' || action.module === 'include_role')
    checkInclude(source, map, task);
  return [task];
}

function checkRegister(source: Source, map: YamlMap): void {
  const entry = entryOf(map, 'register');
  const name = entry?.node.kind === 'scalar' ? entry.node.value : undefined;
  if (typeof name === 'string' && !isVariableName(name)) {
    source.problem(entry?.node.position, `register: "${name}" is not a variable name`);
  }
}

function collectionsOf(source: Source, map: YamlMap, parent: Container): string[] {
  const own = entryValue(map, 'collections');
  const lists = [own, ...[...enclosing(parent)].map(({ keywords }) => keywords.get('collections'))];
  const nearest = lists.find((list) => list !== undefined && list !== null);
  if (nearest === undefined || nearest === null) return [];
  void source;
  return (Array.isArray(nearest) ? nearest : [nearest]).map(String);
}

function makeTask(source: Source, map: YamlMap, action: Action, place: TaskPlace): Task {
  const keywords = readKeywords(source, map, place.handlers ? 'handler' : 'task');
  if (action.onController) keywords.set('delegate_to', 'localhost');
  return {
    node: 'task',
    parent: place.parent,
    position: map.position,
    file: place.file,
    name: entryValue(map, 'name') ?? '',
    action: action.action,
    module: action.module,
    args: action.args,
    argsTemplate: action.argsTemplate,
    argPositions: action.argPositions,
    keywords,
    vars: readVariables(source, entryOf(map, 'vars')?.node, 'vars'),
    loop: readLoop(source, map),
    isHandler: place.handlers,
  };
}

const LOOKUP_LOOPS = new Set(
  (
    'items list dict first_found fileglob sequence nested together subelements indexed_items random_choice lines ' +
    'env file template vars varnames password pipe inventory_hostnames flattened ini csvfile url'
  ).split(' '),
);

function readLoop(source: Source, map: YamlMap): Task['loop'] {
  const loops = map.entries.filter(({ key }) => {
    const name = textOf(key) ?? '';
    return name === 'loop' || name.startsWith('with_');
  });
  const [first, second] = loops;
  if (second !== undefined)
    source.problem(second.keyPosition, 'a task has one loop', `there is "${first?.key}" already`);
  if (first === undefined) return undefined;
  const name = String(first.key);
  const lookup =
    name === 'loop' ? undefined : name.slice('with_'.length).replace(/^ansible\.builtin\./, '');
  if (lookup !== undefined && !LOOKUP_LOOPS.has(lookup)) {
    source.problem(
      first.keyPosition,
      `there is no loop "${name}"`,
      'use loop with a filter or query()',
    );
  }
  return { lookup, value: toValue(first.node), position: first.node.position };
}

function checkInclude(source: Source, map: YamlMap, task: Task): void {
  for (const entry of map.entries) {
    const key = textOf(entry.key) ?? '';
    const isOwn = KEYWORDS[key] === undefined || INCLUDE_KEYWORDS.has(key);
    if (isOwn) continue;
    source.problem(
      entry.keyPosition,
      `"${key}" is not a valid keyword of ${task.module}`,
      `put it under apply: to give it to the included tasks`,
    );
  }
}

/** Name of the file of an include or import as it was written: `file`, or the free-form text. */
export function includeFile(task: Task): Value | undefined {
  return task.args.get('file') ?? task.args.get(FREE_FORM);
}

/** Directories in which an included file is looked for. */
export function includeDirectories(task: Task, playbookDir: string): string[] {
  const roles = [...enclosing(task.parent)].flatMap(({ role }) =>
    role === undefined ? [] : [role.path],
  );
  const folder = task.isHandler ? 'handlers' : 'tasks';
  return [
    directoryOf(task.file),
    ...roles.flatMap((path) => [join(path, folder), path]),
    playbookDir,
  ];
}

function importTasks(source: Source, task: Task, place: TaskPlace): Node[] {
  noLoop(source, task);
  const name = staticText(source, includeFile(task), task, place);
  if (name === undefined) return [];
  const file = firstFile(includeDirectories(task, place.playbookDir), [name]);
  if (file === undefined) {
    const places = includeDirectories(task, place.playbookDir).join(', ');
    source.problem(task.position, `the file "${name}" was not found`, `searched in ${places}`);
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
  block.block = loadTaskFile(source, file, { ...place, parent: block });
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
  if (value === undefined) {
    source.problem(task.position, `${task.module} names no file`, 'add "file: …"');
    return undefined;
  }
  try {
    return textOf(source.options.render(value, new Map([...place.variables, ...task.vars])));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint =
      'an import is resolved before hosts are known; use an include for names with facts or host variables';
    const position = value instanceof TrustedTemplate ? value.position : task.position;
    source.problem(position, why, hint);
    return undefined;
  }
}

function importRole(source: Source, task: Task, place: TaskPlace): Node[] {
  noLoop(source, task);
  const name = staticText(
    source,
    task.args.get('name') ?? task.args.get('role') ?? task.args.get(FREE_FORM),
    task,
    place,
  );
  if (name === undefined) return [];
  const outer = emptyBlock('import', place, task.position, {
    keywords: task.keywords,
    vars: task.vars,
  });
  const from = (key: string) => textOf(task.args.get(key)) ?? undefined;
  const role = loadRole(source, {
    name,
    place: { ...place, parent: outer },
    position: task.position,
    exported: task.args.get('public') !== false,
    tasksFrom: from('tasks_from'),
    varsFrom: from('vars_from'),
    defaultsFrom: from('defaults_from'),
    handlersFrom: from('handlers_from'),
    validate: task.args.get('rolespec_validate') !== false,
  });
  outer.block = role === undefined ? [] : [role];
  return [outer];
}

/** How a role is brought in. */
export interface RoleUse {
  readonly name: string;
  readonly place: TaskPlace;
  readonly position: Position;
  readonly keywords?: Map<string, Value>;
  readonly vars?: Dict;
  readonly params?: Dict;
  readonly exported: boolean;
  readonly parents?: readonly Role[];
  readonly tasksFrom?: string | undefined;
  readonly varsFrom?: string | undefined;
  readonly defaultsFrom?: string | undefined;
  readonly handlersFrom?: string | undefined;
  readonly validate?: boolean;
}

/** Loads a role with its dependencies, handlers and tasks. Undefined when it cannot be found. */
export function loadRole(source: Source, use: RoleUse): Block | undefined {
  const { place, position, parents = [] } = use;
  const search = { playbookDir: place.playbookDir, from: place.parent.role };
  const path = findRole(source, use.name, search, position);
  if (path === undefined) return undefined;
  if (parents.some((parent) => parent.path === path)) {
    source.problem(
      position,
      `the role "${use.name}" depends on itself`,
      'remove one of the dependencies',
    );
    return undefined;
  }
  const role = readRole(source, {
    name: use.name,
    path,
    params: use.params ?? new Map(),
    parents,
    exported: use.exported,
    defaultsFrom: use.defaultsFrom,
    varsFrom: use.varsFrom,
  });
  const block = emptyBlock('role', place, position, {
    keywords: use.keywords ?? new Map(),
    vars: use.vars ?? new Map(),
    role,
  });
  block.name = role.name;
  const inside: TaskPlace = { ...place, parent: block };
  const dependencies = loadDependencies(source, role, { ...use, place: inside });
  place.roles.addRole(role);
  addRoleHandlers(source, role, inside, use.handlersFrom);
  block.block = [
    ...dependencies,
    ...(use.validate === false ? [] : argumentCheck(source, block, use.tasksFrom ?? 'main')),
    ...loadRoleTasks(source, role, inside, use),
  ];
  return block;
}

function loadRoleTasks(source: Source, role: Role, place: TaskPlace, use: RoleUse): Node[] {
  const file = roleFile(role.path, 'tasks', use.tasksFrom);
  if (file !== undefined) return loadTaskFile(source, file, { ...place, handlers: false });
  if (use.tasksFrom !== undefined) {
    source.problem(use.position, `the role "${role.name}" has no tasks/${use.tasksFrom}`);
  }
  return [];
}

function addRoleHandlers(
  source: Source,
  role: Role,
  place: TaskPlace,
  from: string | undefined,
): void {
  const file = roleFile(role.path, 'handlers', from);
  if (file === undefined) return;
  place.roles.addHandlers(loadTaskFile(source, file, { ...place, handlers: true }));
}

function loadDependencies(source: Source, role: Role, use: RoleUse): Node[] {
  return role.meta.dependencies.flatMap((entry) => {
    const { name, keywords, vars, params } = splitRoleEntry(entry);
    if (name === undefined) {
      source.problem(use.position, `a dependency of the role "${role.name}" names no role`);
      return [];
    }
    const { tasksFrom: _, ...rest } = use;
    const parents = [...role.parents, role];
    const block = loadRole(source, { ...rest, name, keywords, vars, params, parents });
    return block === undefined ? [] : [block];
  });
}

interface RoleEntry {
  readonly name: string | undefined;
  readonly keywords: Map<string, Value>;
  readonly vars: Dict;
  readonly params: Dict;
}

/** Splits an entry of `roles:` or `dependencies:` into the role's name, its keywords and its parameters. */
export function splitRoleEntry(entry: Value): RoleEntry {
  const none = { keywords: new Map<string, Value>(), vars: new Map(), params: new Map() };
  if (!(entry instanceof Map)) return { ...none, name: textOf(entry) };
  const dict = entry as Dict; // Keys of a role entry are text in any valid playbook.
  const isKeyword = (key: string) => KEYWORDS[key]?.levels.includes('role') === true;
  const names = new Set(['role', 'name', 'src', 'version', 'scm']);
  const vars = dict.get('vars');
  return {
    name: textOf(dict.get('role') ?? dict.get('name') ?? dict.get('src')),
    keywords: new Map(
      [...dict].filter(([key]) => isKeyword(key) && key !== 'vars' && key !== 'name'),
    ),
    vars: vars instanceof Map ? (vars as Dict) : new Map(),
    params: new Map([...dict].filter(([key]) => !isKeyword(key) && !names.has(key))),
  };
}

/** The task that checks a role's variables against its argument specification, when it has one. */
function argumentCheck(source: Source, block: Block, entryPoint: string): Task[] {
  const role = block.role;
  if (role === undefined) return [];
  const spec = readArgumentSpec(source, role.path, entryPoint);
  if (!(spec instanceof Map)) return [];
  const title = textOf((spec as Dict).get('short_description')); // Keys of a specification are text.
  const suffix = title === undefined ? '' : ` - ${title}`;
  return [
    {
      node: 'task',
      parent: block,
      position: block.position,
      file: join(role.path, 'meta', 'argument_specs.yml'),
      name: `Validating arguments against arg spec '${entryPoint}'${suffix}`,
      action: 'validate_argument_spec',
      module: 'validate_argument_spec',
      args: new Map<string, Value>([['argument_spec', (spec as Dict).get('options') ?? new Map()]]),
      argsTemplate: undefined,
      argPositions: new Map(),
      keywords: new Map<string, Value>([['tags', ['always']]]),
      vars: new Map(),
      loop: undefined,
      isHandler: false,
      implicit: true,
    },
  ];
}
