/** Reads what tasks say and name: expressions, templates, files, handlers, variables of roles. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { didYouMean, type Problem } from '../../shared/errors.ts';
import type { InventoryPort } from '../inventory/inventory-port.ts';
import type { Jinja, Remark } from '../jinja/jinja.ts';
import type { Module } from '../module.ts';
import { ansibleName } from '../playbook/ansible-world.ts';
import type { Play } from '../playbook/model.ts';
import type { LoaderOptions } from '../playbook/source.ts';
import { searchPath } from '../run/play-context.ts';
import { handlebarsFault } from '../template/handlebars.ts';
import type { Position, TrustedTemplate } from '../values.ts';
import type { FactCache } from '../vars/fact-cache.ts';
import { Definitions } from './definitions.ts';
import { stumblesOf } from './expressions.ts';
import {
  hasController,
  KINDS_OF_LOOKUPS,
  mayMake,
  type NamedFile,
  namedFiles,
  placesOf,
  templateText,
} from './files.ts';
import type { Findings } from './findings.ts';
import { deafProblems, handlerNames } from './handlers.ts';
import { remarksOnIncluded } from './included-templates.ts';
import { KnownNames } from './known-names.ts';
import { PythonPlugins } from './python-plugins.ts';
import { missingArguments } from './required-arguments.ts';
import { misspeltVariables } from './role-variables.ts';
import { templatesIn } from './templates-in.ts';
import type { Tour, Visit } from './tour.ts';
import {
  type ReadFile,
  readVariablesFile,
  readVarsFiles,
  templatesOfVariables,
} from './variables.ts';

interface ReadingOf {
  readonly plays: readonly Play[];
  readonly tour: Tour;
  readonly findings: Findings;
  readonly loader: LoaderOptions;
  readonly inventory?: InventoryPort | undefined;
  readonly jinja: Jinja;
  readonly factCache?: FactCache | undefined;
  readonly missingHandlersEnd: boolean;
  readonly isLocal: boolean;
}

/** A place of a play; of variables the task that uses them is not known. */
type AtTask = Pick<Visit, 'play'> & Partial<Pick<Visit, 'task'>>;

interface Missing {
  readonly place: Position | undefined;
  readonly message: string;
  readonly name: string;
  readonly places: readonly string[];
}

/** Everything that goes beyond the modules of tasks and their arguments. */
export class Reading {
  readonly #given: ReadingOf;
  readonly #known: KnownNames;
  readonly #definitions: Definitions;
  readonly #plugins: PythonPlugins;
  readonly #handlers = new Map<Play, ReadonlySet<string> | undefined>();
  readonly #before: Visit[] = [];

  constructor(given: ReadingOf) {
    this.#given = given;
    this.#known = new KnownNames(given);
    this.#plugins = new PythonPlugins(given);
    this.#definitions = new Definitions({ ...given, known: this.#known });
  }

  /** Reads a task; tasks come in the order of the run. */
  read(visit: Visit, module: Module | undefined): void {
    const { findings, jinja, missingHandlersEnd } = this.#given;
    for (const { remark, isCertain } of stumblesOf(visit, jinja, module))
      this.#remark(visit, remark, isCertain);
    for (const problem of this.#deaf(visit))
      findings.add(problem, visit.isCertain && missingHandlersEnd);
    for (const problem of missingArguments(visit.task, this.#known))
      findings.add(problem, visit.isCertain && !this.#isBlind(visit.play));
    for (const file of namedFiles(visit)) this.#file(visit, file);
    this.#before.push(visit);
  }

  /** Looks at what only the whole shows. */
  finish(): void {
    const { tour, loader, findings, plays, inventory } = this.#given;
    for (const play of plays)
      for (const file of readVarsFiles(loader, play))
        this.#variables(play, file, tour.running.has(play));
    const owners = { plays, inventory, roles: tour.roles };
    this.#templates(plays[0], templatesOfVariables(owners));
    const texts = this.#known.texts();
    for (const problem of misspeltVariables({ tour, loader, texts })) findings.advise(problem);
  }

  #deaf(visit: Visit): Problem[] {
    const { play } = visit;
    if (!this.#handlers.has(play)) this.#handlers.set(play, handlerNames(this.#given.tour, play));
    const names = this.#handlers.get(play);
    return names === undefined ? [] : deafProblems(visit, names);
  }

  #file(visit: Visit, file: NamedFile): void {
    const { found, by, name, position, places, isCertain, isFolder } = file;
    if (found === undefined) {
      const message = `${by}: the ${isFolder === true ? 'directory' : 'file'} "${name}" was not found`;
      this.#missing({ place: position, message, name, places }, isCertain);
      return;
    }
    if (file.kind === 'vars' && file.isFolder !== true)
      this.#variables(visit.play, readVariablesFile(this.#given.loader, found), isCertain);
    for (const remark of this.#remarksOn(visit, file, found))
      this.#remark(visit, remark, isCertain && remark.isCertain, dirname(found));
  }

  #missing({ place, message, name, places }: Missing, isCertain: boolean): void {
    const { findings } = this.#given;
    const isSure = !this.#before.some((earlier) => mayMake(earlier, name, this.#isHere()));
    const hint = `searched in ${places.join(', ')}`;
    findings.add({ place, message, hint }, isCertain && isSure);
  }

  /** Whether any host may be the controller. */
  #isHere(): boolean {
    const { inventory, isLocal } = this.#given;
    const mayBeLocal = () => this.#known.names()?.has('ansible_connection') !== false;
    return isLocal || hasController(inventory) || mayBeLocal();
  }

  #remarksOn({ task, play }: Visit, file: NamedFile, found: string): readonly Remark[] {
    const { jinja } = this.#given;
    const text = templateText(task, file);
    if (text === undefined) return [];
    if (found.endsWith('.hbs')) return handlebarsRemarks(text, found);
    const folders = searchPath(task, play.playbookDir);
    return [
      ...jinja.inspectTemplateFile(text, found),
      ...remarksOnIncluded(jinja, { text, file: found }, [
        ...folders.map((folder) => join(folder, 'templates')),
        ...folders,
      ]),
    ];
  }

  /** A file of variables counts when it is read, its templates when somebody uses them. */
  #variables(play: Play, { problems, variables }: ReadFile, isCertain: boolean): void {
    for (const problem of problems) this.#given.findings.add(problem, isCertain);
    this.#templates(play, [...variables.values()].flatMap(templatesIn));
  }

  #templates(play: Play | undefined, templates: Iterable<TrustedTemplate>): void {
    if (play === undefined) return;
    for (const template of templates)
      for (const remark of this.#given.jinja.inspectValue(template))
        this.#remark({ play }, remark, false);
  }

  #remark(visit: AtTask, remark: Remark, isCertain: boolean, folder?: string): void {
    const { findings } = this.#given;
    const { kind, name, message, position: place } = remark;
    if (kind === 'file') {
      this.#fileOfLookup(visit, remark, isCertain, folder);
      return;
    }
    if (kind === 'variable') {
      if (isCertain) this.#needed(visit, remark, folder);
      return;
    }
    const full = kind === 'syntax' ? undefined : this.#nameElsewhere(kind, name);
    if (full === undefined || place === undefined) {
      findings.add({ place, message, hint: remark.hint }, isCertain);
    } else findings.lack({ full, what: kind, place, isCertain });
  }

  /** The name of what there is, though not here: of a collection, or of the user's own in Python. */
  #nameElsewhere(kind: 'filter' | 'test' | 'lookup', name: string): string | undefined {
    return this.#plugins.has(kind, name) ? name : ansibleName(`${kind}s`, name);
  }

  /** A variable that is certainly needed, and what its own value needs then. */
  #needed(
    visit: AtTask,
    { name, message, position: place, hint: given }: Remark,
    folder: string | undefined,
    seen: ReadonlySet<string> = new Set(),
  ): void {
    if (!this.#known.has(name)) {
      const hint = given ?? didYouMean(name, this.#known.names() ?? []);
      this.#given.findings.add({ place, message, hint }, !this.#isBlind(visit.play));
      return;
    }
    const value = seen.has(name) ? undefined : this.#definitions.templateOf(name, visit);
    if (value === undefined) return;
    for (const remark of this.#given.jinja.inspectValue(value)) {
      if (!remark.isCertain) continue;
      if (remark.kind === 'file') this.#fileOfLookup(visit, remark, true, folder);
      if (remark.kind === 'variable') this.#needed(visit, remark, folder, new Set([...seen, name]));
    }
  }

  /** Of variables nobody knows which tasks use them, nor where these search. */
  #fileOfLookup(
    { task, play }: AtTask,
    remark: Remark,
    isCertain: boolean,
    folder: string | undefined,
  ): void {
    const { name, lookup = '', message, position: place } = remark;
    if (task === undefined || name.startsWith('~')) return;
    const folders = [
      ...(folder === undefined ? [] : [folder]),
      ...searchPath(task, play.playbookDir),
    ];
    const places = placesOf(folders, KINDS_OF_LOOKUPS[lookup] ?? '', name);
    if (places.some((path) => existsSync(path))) return;
    this.#missing({ place, message, name, places }, isCertain);
  }

  /** Whether hosts of a play, with their variables, are nowhere in the inventory of this look. */
  #isBlind({ hosts }: Play): boolean {
    const { inventory } = this.#given;
    if (inventory === undefined || hosts === 'localhost') return inventory === undefined;
    return (inventory.groups().get('all') ?? []).length === 0;
  }
}

function handlebarsRemarks(text: string, file: string): Remark[] {
  const fault = handlebarsFault(text, file);
  if (fault === undefined) return [];
  const { message, position } = fault;
  return [{ kind: 'syntax', name: '', message, hint: undefined, position, isCertain: true }];
}
