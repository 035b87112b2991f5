/** A playbook as the engine runs it: containers that pass settings down, and the tasks in them. */
import type { Problem } from '../../shared/errors.ts';
import type { Dict, Position, Value } from '../values.ts';
import type { Prompt } from './prompts.ts';

type Keywords = ReadonlyMap<string, Value>;

/** Whatever encloses tasks and hands keywords, variables and tags down to them. */
export interface Container {
  readonly kind: 'play' | 'role' | 'block' | 'import' | 'include';
  readonly parent: Container | undefined;
  readonly keywords: Keywords;
  /** Variables with the rank of block vars (a play's have their own, lower rank). */
  readonly vars: Dict;
  /** The role whose tasks are inside. */
  readonly role: Role | undefined;
  /** Variables of an include statement, which beat set_fact. */
  readonly includeParams?: Dict;
  readonly position: Position;
}

/** Tasks that run together: a block, a role, or the tasks of an imported or included file. */
export interface Block extends Container {
  readonly node: 'block';
  readonly name: Value;
  readonly block: readonly Node[];
  readonly rescue: readonly Node[];
  readonly always: readonly Node[];
}

export type Node = Block | Task;

/** How a task repeats: `loop`, or `with_NAME` through the lookup NAME. */
interface Loop {
  readonly lookup: string | undefined;
  /** A lookup of the loop that Ansible has and tsprov has not. */
  readonly unavailable: Unavailable | undefined;
  readonly value: Value;
  readonly position: Position;
}

/** What Ansible has and tsprov has not, by its full name. */
export interface Unavailable {
  readonly full: string;
  readonly position: Position;
}

export interface Task {
  readonly node: 'task';
  readonly parent: Container;
  readonly position: Position;
  /** File the task is written in; relative files of the task are searched from its directory. */
  readonly file: string;
  readonly name: Value;
  /** Module as it was written. */
  readonly action: string;
  /** The registry's name for it, or one of the engine's own actions. */
  readonly module: string;
  /** The name of the module where it is a template, which every host renders for itself; `module` is then empty. */
  readonly moduleTemplate?: Value | undefined;
  /** A module that Ansible has and tsprov has not; `module` is then empty. */
  readonly unavailable?: Unavailable | undefined;
  /** What its keywords ask for that is not built yet: it fails when it is reached. */
  readonly notBuilt?: readonly Problem[];
  readonly args: Dict;
  /** Arguments given as a template, which other arguments beat: known only at run time. */
  readonly argsTemplates: readonly Value[];
  readonly argPositions: ReadonlyMap<string, Position>;
  readonly keywords: Keywords;
  readonly vars: Dict;
  readonly loop: Loop | undefined;
  readonly isHandler: boolean;
  /** Made by the engine itself: fact gathering, argument checks. */
  readonly implicit?: boolean;
}

export interface Role {
  readonly name: string;
  readonly path: string;
  readonly defaults: Dict;
  readonly vars: Dict;
  readonly params: Dict;
  /** Roles whose dependency this one is, outermost first. */
  readonly parents: readonly Role[];
  /** Roles on which it depends itself: it sees their variables and defaults below its own. */
  readonly dependencies: Role[];
  /** Whether the play's other tasks see this role's variables and defaults. */
  readonly exported: boolean;
  /** Equal for uses that run only once on a host, unless duplicates are allowed. */
  readonly identity: string;
  readonly allowDuplicates: boolean;
  readonly meta: RoleMeta;
}

export interface RoleMeta {
  readonly dependencies: readonly Value[];
  readonly allowDuplicates: boolean;
}

/** An entry of `vars_files`: the first of its names that is a file is read. */
export interface VarsFile {
  readonly names: readonly Value[];
  readonly position: Position;
}

export interface Play extends Container {
  readonly kind: 'play';
  readonly name: Value;
  readonly hosts: Value;
  readonly varsFiles: readonly VarsFile[];
  readonly prompts: readonly Prompt[];
  readonly preTasks: readonly Node[];
  readonly roles: readonly Block[];
  readonly tasks: readonly Node[];
  readonly postTasks: readonly Node[];
  /** Lists of handlers: of the roles that the play lists, its own, of imported roles. A later one hides those before it. */
  readonly handlers: readonly (readonly Node[])[];
  /** Roles loaded with the play, without dependencies: those that it lists, then imported ones. include_role brings more. */
  readonly staticRoles: readonly Role[];
  readonly playbookDir: string;
}

/** Actions that the engine carries out itself. */
const INCLUDES: ReadonlySet<string> = new Set(['include_tasks', 'include_role']);

/** Whether a task brings in more tasks when it runs. */
export function isInclude(task: Task): boolean {
  return INCLUDES.has(task.module);
}

/** A container and those around it, innermost first. */
export function* enclosing(container: Container): Iterable<Container> {
  for (let at: Container | undefined = container; at !== undefined; at = at.parent) yield at;
}
