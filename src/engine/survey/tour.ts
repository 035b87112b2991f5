/** Goes through plays as a run would, with what includes bring in, and without any host. */
import { resolve } from 'node:path';
import type { Problem } from '../../shared/errors.ts';
import { FREE_FORM } from '../playbook/action.ts';
import {
  isChosen,
  isReached,
  isUnconditional,
  mayEnd,
  mayFail,
  type Selection,
} from '../playbook/certainty.ts';
import { includeDirectories, placeOfFile } from '../playbook/load-import.ts';
import { loadRole } from '../playbook/load-role.ts';
import { loadTaskFile } from '../playbook/load-tasks.ts';
import { isInclude, type Node, type Play, type Role, type Task } from '../playbook/model.ts';
import { firstFile, type LoaderOptions, Source, textOf } from '../playbook/source.ts';
import { emptyBlock, type TaskPlace } from '../playbook/task-place.ts';
import { type Dict, isDict, TrustedTemplate, type Value } from '../values.ts';
import { textsOf } from './loop-items.ts';

/** A task that may run. */
export interface Visit {
  readonly task: Task;
  readonly play: Play;
  /** Whether the run certainly looks at the conditions around it, or would at its own. */
  readonly isMet: boolean;
  /** Whether every run comes to it, and its failure is a failure of the run. */
  readonly isReached: boolean;
  /** Whether it then certainly runs, too. */
  readonly isCertain: boolean;
}

export interface TourOptions {
  readonly loader: LoaderOptions;
  readonly selection: Selection;
  /** Whether files and roles that tasks include are read too. */
  readonly deep: boolean;
}

/** What a tour tells of a problem. */
type Tell = (problem: Problem, isCertain: boolean) => void;

/** A play on its way. */
interface At {
  readonly play: Play;
  isCertain: boolean;
}

/** Every task of the plays, each once. */
export class Tour {
  readonly visits: Visit[] = [];
  readonly roles: Role[] = [];
  /** Handlers by play: those that are known with the play, and those of roles that it includes. */
  readonly handlers = new Map<Play, Node[]>();
  /** Includes whose file or role depends on variables. */
  readonly unread: Visit[] = [];
  /** Plays that have hosts. */
  readonly running = new Set<Play>();
  readonly #options: TourOptions;
  readonly #tell: Tell;
  readonly #seen = new Set<string>();

  constructor(options: TourOptions, tell: Tell) {
    this.#options = options;
    this.#tell = tell;
  }

  /** Goes through a play; `runs` tells whether it has hosts. */
  play(play: Play, runs: boolean): void {
    const at: At = { play, isCertain: runs };
    if (runs) this.running.add(play);
    this.roles.push(...play.staticRoles);
    this.handlers.set(play, play.handlers.flat());
    this.#seen.clear();
    for (const section of [play.preTasks, play.roles, play.tasks, play.postTasks])
      this.#nodes(section, at);
    this.#nodes(play.handlers.flat(), { play, isCertain: false });
  }

  #nodes(nodes: readonly Node[], at: At): void {
    for (const node of nodes) {
      if (node.node === 'task') this.#task(node, at);
      else {
        this.#nodes(node.block, at);
        this.#nodes(node.rescue, { ...at, isCertain: false });
        this.#nodes(node.always, at);
      }
    }
  }

  #task(task: Task, at: At): void {
    const { selection } = this.#options;
    const isMet = at.isCertain && isChosen(task, selection) && !mayFail(task);
    const reached = isMet && isReached(task, selection);
    const isCertain = reached && isUnconditional(task);
    const visit = { task, play: at.play, isMet, isReached: reached, isCertain };
    this.visits.push(visit);
    if (mayEnd(task)) at.isCertain = false;
    if (isInclude(task)) this.#include(visit, at);
  }

  #include(visit: Visit, { play }: At): void {
    if (!this.#options.deep) return;
    const names = isOpen(visit.task) ? [undefined] : includedNames(visit.task);
    if (names.includes(undefined)) this.unread.push(visit);
    for (const name of names) if (name !== undefined) this.#read(visit, name, play);
  }

  #read(visit: Visit, name: string, play: Play): void {
    const { task, isCertain } = visit;
    const source = new Source(this.#options.loader);
    const handlers: Node[] = [];
    const apply = task.args.get('apply');
    const block = emptyBlock('include', { parent: task.parent }, task.position, {
      keywords: isDict(apply) ? (apply as Dict) : new Map(), // Keywords are text.
    });
    const place: TaskPlace = {
      parent: block,
      file: task.file,
      playbookDir: play.playbookDir,
      handlers: false,
      imports: [],
      variables: new Map([...play.vars, ...this.#options.loader.extraVars]),
      roles: {
        addRole: (role) => this.roles.push(role),
        addHandlers: (more) => handlers.push(...more),
      },
    };
    const nodes =
      task.module === 'include_tasks'
        ? this.#file(source, task, { name, place, isCertain })
        : this.#role(source, task, { name, place, isCertain });
    for (const problem of source.problems) this.#tell(problem, isCertain);
    this.handlers.get(play)?.push(...handlers);
    this.#nodes(nodes, { play, isCertain });
    this.#nodes(handlers, { play, isCertain: false });
  }

  #file(source: Source, task: Task, { name, place, isCertain }: Wanted): readonly Node[] {
    const directories = includeDirectories(task, place.playbookDir);
    const file = firstFile(directories, [name]);
    if (file === undefined) {
      const hint = `searched in ${directories.join(', ')}`;
      source.problem(placeOfFile(task), `the file "${name}" was not found`, hint);
      return [];
    }
    if (this.#isKnown([resolve(file), task.parent.role?.path, isCertain])) return [];
    return loadTaskFile(source, file, { ...place, handlers: task.isHandler });
  }

  #role(source: Source, task: Task, { name, place, isCertain }: Wanted): readonly Node[] {
    const from = (key: string) => textOf(task.args.get(key));
    if (this.#isKnown([name, task.parent.role?.path, from('tasks_from'), isCertain])) return [];
    const role = loadRole(source, {
      name,
      place,
      position: task.position,
      loadFile: loadTaskFile,
      exported: false,
      tasksFrom: from('tasks_from'),
      varsFrom: from('vars_from'),
      defaultsFrom: from('defaults_from'),
      handlersFrom: from('handlers_from'),
      validate: task.args.get('rolespec_validate') !== false,
    });
    return role === undefined ? [] : [role];
  }

  /** Whether the same was gone through before; an include may bring itself in. */
  #isKnown(what: readonly unknown[]): boolean {
    const key = JSON.stringify(what);
    const isKnown = this.#seen.has(key);
    this.#seen.add(key);
    return isKnown;
  }
}

interface Wanted {
  readonly name: string;
  readonly place: TaskPlace;
  readonly isCertain: boolean;
}

/** Whether more than the name depends on variables. */
function isOpen({ module, args, argsTemplates }: Task): boolean {
  const names: ReadonlySet<Value> = new Set(keysOfName(module));
  const others = [...args].filter(([name]) => !names.has(name));
  return argsTemplates.length > 0 || others.some(([, value]) => value instanceof TrustedTemplate);
}

/** The files or roles that an include brings in; undefined among them where only the run can tell. */
function includedNames(task: Task): readonly (string | undefined)[] {
  const key = keysOfName(task.module).find((name) => task.args.has(name));
  return textsOf(task, key === undefined ? undefined : task.args.get(key));
}

function keysOfName(module: string): readonly string[] {
  return module === 'include_tasks' ? ['file', FREE_FORM] : ['name', 'role', FREE_FORM];
}
