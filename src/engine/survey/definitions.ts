/** What variables are set to in the files of a project. */
import { shown } from '../playbook/grouped.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import type { Play, Role } from '../playbook/model.ts';
import { type Dict, TrustedTemplate } from '../values.ts';
import { type KnownNames, withDependencies } from './known-names.ts';
import type { Tour, Visit } from './tour.ts';

/** A task, or a play whose variables are looked at by themselves. */
type Where = Pick<Visit, 'play'> & Partial<Pick<Visit, 'task'>>;

interface DefinitionsOf {
  readonly plays: readonly Play[];
  readonly tour: Tour;
  readonly known: KnownNames;
}

/** The templates that variables are set to. */
export class Definitions {
  readonly #given: DefinitionsOf;
  #places: ReadonlyMap<string, ReadonlySet<string>> | undefined;

  constructor(given: DefinitionsOf) {
    this.#given = given;
  }

  /** The only template that a variable can be at a place; undefined where it may be anything else. */
  templateOf(name: string, { play, task }: Where): TrustedTemplate | undefined {
    const { known, tour } = this.#given;
    this.#places ??= this.#read();
    const places = this.#places.get(name)?.size ?? 0;
    if (places === 0 || known.timesDefined(name) !== places) return undefined;
    const own = task === undefined ? undefined : inheritedBy(task);
    const isOverridden =
      own?.includeParams.has(name) === true || own?.roleParams.has(name) === true;
    if (isOverridden && places > 1) return undefined;
    const dicts = [play.vars, ...tour.roles.flatMap(withDependencies).flatMap(dictsOf)];
    const further = places === 1 ? dicts.find((dict) => dict.has(name))?.get(name) : undefined;
    const value = own?.vars.get(name) ?? further;
    return value instanceof TrustedTemplate ? value : undefined;
  }

  /** Where every variable is set to a template. */
  #read(): ReadonlyMap<string, ReadonlySet<string>> {
    const { plays, tour } = this.#given;
    const dicts = new Set([
      ...plays.map(({ vars }) => vars),
      ...tour.roles.flatMap(withDependencies).flatMap(dictsOf),
      ...tour.visits.map(({ task }) => inheritedBy(task).vars),
    ]);
    const places = new Map<string, Set<string>>();
    for (const [name, value] of [...dicts].flatMap((dict) => [...dict])) {
      if (!(value instanceof TrustedTemplate) || value.position === undefined) continue;
      const key = String(name);
      places.set(key, (places.get(key) ?? new Set()).add(shown(value.position)));
    }
    return places;
  }
}

function dictsOf({ defaults, vars, params }: Role): Dict[] {
  return [defaults, vars, params];
}
