/** Reads what tasks say and name: expressions, templates, files, handlers, variables of roles. */
import { didYouMean, type Problem } from '../../shared/errors.ts';
import type { InventoryPort } from '../inventory/inventory-port.ts';
import type { Jinja, Remark } from '../jinja/jinja.ts';
import type { Module } from '../module.ts';
import { ansibleName } from '../playbook/ansible-world.ts';
import type { Play } from '../playbook/model.ts';
import type { LoaderOptions } from '../playbook/source.ts';
import { stumblesOf } from './expressions.ts';
import { mayMake, type NamedFile, namedFile, templateText } from './files.ts';
import type { Findings } from './findings.ts';
import { deafProblems, handlerNames } from './handlers.ts';
import { KnownNames } from './known-names.ts';
import { misspeltVariables } from './role-variables.ts';
import type { Tour, Visit } from './tour.ts';

interface ReadingOf {
  readonly plays: readonly Play[];
  readonly tour: Tour;
  readonly findings: Findings;
  readonly loader: LoaderOptions;
  readonly inventory?: InventoryPort | undefined;
  readonly jinja: Jinja;
  readonly missingHandlersEnd: boolean;
}

/** Everything that goes beyond the modules of tasks and their arguments. */
export class Reading {
  readonly #given: ReadingOf;
  readonly #known: KnownNames;
  readonly #handlers = new Map<Play, ReadonlySet<string> | undefined>();
  readonly #before: Visit[] = [];

  constructor(given: ReadingOf) {
    this.#given = given;
    this.#known = new KnownNames({ ...given, inventory: given.inventory });
  }

  /** Reads a task; tasks come in the order of the run. */
  read(visit: Visit, module: Module | undefined): void {
    const { findings, jinja, missingHandlersEnd } = this.#given;
    for (const { remark, isCertain } of stumblesOf(visit, jinja, module))
      this.#remark(visit, remark, isCertain);
    for (const problem of this.#deaf(visit))
      findings.add(problem, visit.isCertain && missingHandlersEnd);
    const file = visit.task.unavailable === undefined ? namedFile(visit) : undefined;
    if (file !== undefined) this.#file(visit, file);
    this.#before.push(visit);
  }

  /** Looks at what only the whole shows. */
  finish(): void {
    const { tour, loader, findings } = this.#given;
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
    const { task, isCertain } = visit;
    const { found, name, argument, places } = file;
    if (found === undefined) {
      const isSure = !this.#before.some((earlier) => mayMake(earlier, name));
      const place = task.argPositions.get(argument) ?? task.position;
      const message = `${task.action}: the file "${name}" was not found`;
      const hint = `searched in ${places.join(', ')}`;
      this.#given.findings.add({ place, message, hint }, isCertain && isSure);
      return;
    }
    const text = templateText(task, file);
    if (text === undefined) return;
    for (const remark of this.#given.jinja.inspectTemplateFile(text, found))
      this.#remark(visit, remark, isCertain && remark.isCertain);
  }

  #remark({ play }: Visit, remark: Remark, isCertain: boolean): void {
    const { findings } = this.#given;
    const { kind, name, message, position: place } = remark;
    if (kind === 'variable') {
      if (!isCertain || this.#known.has(name)) return;
      const hint = remark.hint ?? didYouMean(name, this.#known.names() ?? []);
      findings.add({ place, message, hint }, !this.#isBlind(play));
      return;
    }
    const full = kind === 'syntax' ? undefined : ansibleName(`${kind}s`, name);
    if (full === undefined || place === undefined) {
      findings.add({ place, message, hint: remark.hint }, isCertain);
    } else findings.lack({ full, what: kind, place, isCertain });
  }

  /** Whether hosts of a play, with their variables, are nowhere in the inventory of this look. */
  #isBlind({ hosts }: Play): boolean {
    const { inventory } = this.#given;
    if (inventory === undefined || hosts === 'localhost') return inventory === undefined;
    return (inventory.groups().get('all') ?? []).length === 0;
  }
}
