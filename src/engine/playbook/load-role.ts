/** Loads a role: dependencies, handlers, the check of its arguments, tasks. */
import { basename, join, resolve } from 'node:path';
import { TemplateError } from '../jinja/errors.ts';
import { type Dict, type Position, TrustedTemplate, type Value } from '../values.ts';
import { collectionsOf } from './collections-of.ts';
import { KEYWORDS } from './keywords.ts';
import { type Block, enclosing, type Node, type Role, type Task } from './model.ts';
import { entryFile, findRole, readArgumentSpec, readRole } from './role-files.ts';
import { roleIdentity } from './role-identity.ts';
import { type Source, textOf } from './source.ts';
import { emptyBlock, type LoadFile, type TaskPlace } from './task-place.ts';

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
  /** Variables of the task that names the role. */
  readonly taskVars?: Dict;
  /** Listed in a play or among dependencies, or named by a task. */
  readonly how?: 'listed' | 'task';
  /** What decides instead of the role itself whether it may run more than once. */
  readonly allowDuplicates?: boolean;
  /** Loads a file of tasks. */
  readonly loadFile: LoadFile;
}

/** Loads a role with its dependencies, handlers and tasks. Undefined when it cannot be found. */
export function loadRole(source: Source, use: RoleUse): Block | undefined {
  const { place, position, parents = [] } = use;
  const collections = collectionsOf(undefined, place.parent);
  const search = { playbookDir: place.playbookDir, from: place.parent.role, collections };
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
    position,
    path,
    params: use.params ?? new Map(),
    parents,
    exported: use.exported,
    defaultsFrom: use.defaultsFrom,
    varsFrom: use.varsFrom,
    identity: roleIdentity(path, use),
    allowDuplicates: use.allowDuplicates,
  });
  const block = emptyBlock('role', place, position, {
    keywords: use.keywords ?? new Map(),
    vars: use.vars ?? new Map(),
    role,
  });
  block.name = role.name;
  const inside: TaskPlace = { ...place, parent: block };
  const dependencies = loadDependencies(source, role, { ...use, place: inside });
  role.dependencies.push(...dependencies.flatMap((each) => each.role ?? []));
  addRoleHandlers(source, role, inside, use);
  block.block = [
    ...dependencies,
    ...(use.validate === false ? [] : argumentCheck(source, block, use.tasksFrom ?? 'main')),
    ...loadRoleTasks(source, role, inside, use),
  ];
  if (parents.length === 0) place.roles.addRole(role);
  return block;
}

function loadRoleTasks(source: Source, role: Role, place: TaskPlace, use: RoleUse): Node[] {
  const file = entryFile(source, join(role.path, 'tasks'), use.tasksFrom, use.position);
  return file === undefined ? [] : use.loadFile(source, file, { ...place, handlers: false });
}

function addRoleHandlers(source: Source, role: Role, place: TaskPlace, use: RoleUse): void {
  const file = entryFile(source, join(role.path, 'handlers'), use.handlersFrom, use.position);
  if (file === undefined) return;
  const isImported = [...enclosing(place.parent)].some(({ kind }) => kind === 'import');
  const handlers = use.loadFile(source, file, { ...place, handlers: true });
  place.roles.addHandlers(handlers, { isImported });
}

function loadDependencies(source: Source, role: Role, use: RoleUse): Block[] {
  return role.meta.dependencies.flatMap((entry) => {
    const { name: written, keywords, vars, params } = splitRoleEntry(entry);
    const known = [use.place.variables, role.defaults, role.vars, role.params, vars, params];
    const name = roleName(source, written, new Map(known.flatMap((each) => [...each])));
    if (name === undefined) {
      source.problem(use.position, `a dependency of the role "${role.name}" names no role`);
      return [];
    }
    const { place, position, exported, loadFile } = use;
    const parents = [...role.parents, role];
    const how = { place, position, exported, loadFile, parents };
    const block = loadRole(source, { ...how, name, keywords, vars, params });
    return block === undefined ? [] : [block];
  });
}

/** The name of a role as written, rendered. Undefined where there is none; what cannot be rendered stays as it is. */
export function roleName(
  source: Source,
  written: Value | undefined,
  known: Dict,
): string | undefined {
  if (!(written instanceof TrustedTemplate)) return textOf(written);
  try {
    return textOf(source.options.render(written, known));
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return written.text;
  }
}

interface RoleEntry {
  readonly name: Value | undefined;
  readonly keywords: Map<string, Value>;
  readonly vars: Dict;
  readonly params: Dict;
}

/** Splits an entry of `roles:` or `dependencies:` into the role's name, its keywords and its parameters. */
export function splitRoleEntry(entry: Value): RoleEntry {
  const none = { keywords: new Map<string, Value>(), vars: new Map(), params: new Map() };
  if (!(entry instanceof Map)) return { ...none, name: entry ?? undefined };
  const dict = entry as Dict; // Keys of a role entry are text in any valid playbook.
  const isKeyword = (key: string) => KEYWORDS[key]?.levels.includes('role') === true;
  const names = new Set(['role', 'name', 'src', 'version', 'scm']);
  const vars = dict.get('vars');
  return {
    name: dict.get('role') ?? dict.get('name') ?? dict.get('src'),
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
      args: new Map<string, Value>([
        ['argument_spec', (spec as Dict).get('options') ?? new Map()],
        ['validate_args_context', contextOf(role, entryPoint)],
      ]),
      argsTemplates: [],
      argPositions: new Map(),
      keywords: new Map<string, Value>([['tags', ['always']]]),
      vars: new Map(),
      loop: undefined,
      isHandler: false,
      implicit: true,
    },
  ];
}

/** Where a specification comes from; a role of a collection has its short name there, as in Ansible. */
function contextOf({ path }: Role, entryPoint: string): Dict {
  return new Map<string, Value>([
    ['type', 'role'],
    ['name', basename(path)],
    ['argument_spec_name', entryPoint],
    ['path', resolve(path)],
  ]);
}
