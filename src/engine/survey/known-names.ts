/** Which variables a run may know: in doubt all of them. */
import { dirname } from 'node:path';
import { InvalidInput } from '../../shared/errors.ts';
import type { InventoryPort } from '../inventory/inventory-port.ts';
import { ansibleName } from '../playbook/ansible-world.ts';
import type { Play, Role, Task } from '../playbook/model.ts';
import type { LoaderOptions } from '../playbook/source.ts';
import { isMagic } from '../run/magic.ts';
import { type Dict, hasTemplate, type Value } from '../values.ts';
import type { FactCache } from '../vars/fact-cache.ts';
import { textsOf } from './loop-items.ts';
import { templatesIn } from './templates-in.ts';
import { namesDefined, type ProjectText, projectTexts } from './texts.ts';
import type { Tour } from './tour.ts';

interface NamesOf {
  readonly plays: readonly Play[];
  readonly tour: Tour;
  readonly loader: LoaderOptions;
  readonly inventory?: InventoryPort | undefined;
  readonly factCache?: FactCache | undefined;
}

/** Names of arguments that a role takes, which set nothing. */
const SPECIFICATION = /\/meta\/argument_specs\.ya?ml$/;

/** What is known of the variables of a run. */
export class KnownNames {
  readonly #given: NamesOf;
  #texts: readonly ProjectText[] | undefined;
  #names: ReadonlySet<string> | undefined;
  #kept: readonly Dict[] | undefined;
  #isRead = false;
  /** Variables of hosts and of the command line. */
  readonly #outside = new Set<string>();
  /** How often the texts set each name. */
  readonly #counts = new Map<string, number>();

  constructor(given: NamesOf) {
    this.#given = given;
  }

  /** The files of the project; none where they cannot be read. */
  texts(): readonly ProjectText[] {
    this.#read();
    return this.#texts ?? [];
  }

  /** The names; undefined where there may be more than can be seen. */
  names(): ReadonlySet<string> | undefined {
    this.#read();
    return this.#names;
  }

  /** How often the files of the project set a variable; undefined where others may set it, too. */
  timesDefined(name: string): number | undefined {
    const isOthers = this.names() === undefined || this.#outside.has(name) || this.#isKept(name);
    return isOthers ? undefined : this.#counts.get(name);
  }

  /** Whether a variable may be there. */
  has(name: string): boolean {
    if (/^(ansible|template)_/.test(name) || name === 'item' || isMagic(name)) return true;
    const names = this.names();
    return names === undefined || names.has(name) || this.#isKept(name);
  }

  #read(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    const { loader } = this.#given;
    this.#texts = projectTexts(this.#folders(), (text) => loader.secrets.decrypt(text));
    if (this.#texts === undefined || this.#given.tour.visits.some(({ task }) => makesNames(task)))
      return;
    if (
      this.#given.plays.some(({ varsFiles }) => varsFiles.some(({ names }) => isElsewhere(names)))
    )
      return;
    const outside = this.#namesElsewhere();
    if (outside === undefined) return;
    for (const name of outside) this.#outside.add(name);
    for (const text of this.#texts.filter(({ file }) => !SPECIFICATION.test(file))) {
      const defined = namesDefined(text);
      if (defined === undefined) return;
      for (const name of defined) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    }
    this.#names = new Set([...outside, ...this.#ofRoles(), ...this.#counts.keys()]);
  }

  #folders(): Set<string> {
    const { plays, tour, loader } = this.#given;
    return new Set([
      ...plays.flatMap(({ playbookDir, position }) => [playbookDir, dirname(position.file)]),
      ...tour.roles.flatMap(withDependencies).map(({ path }) => path),
      ...tour.visits.map(({ task }) => dirname(task.file)),
      ...(tour.unread.length > 0 ? loader.rolesPath : []),
    ]);
  }

  #ofRoles(): readonly string[] {
    const roles = this.#given.tour.roles.flatMap(withDependencies);
    return roles.flatMap(({ defaults, vars, params }) =>
      [defaults, vars, params].flatMap((dict) => [...dict.keys()]),
    );
  }

  /** Names that come from elsewhere than the files of the project; undefined where the inventory is broken. */
  #namesElsewhere(): readonly string[] | undefined {
    const { inventory, loader, plays } = this.#given;
    const asked = plays.flatMap(({ prompts }) => prompts.map(({ name }) => name));
    try {
      const hosts = inventory?.groups().get('all') ?? [];
      const ofHosts = hosts.flatMap((host) => [...(inventory?.hostVars(host).keys() ?? [])]);
      return [...loader.extraVars.keys(), ...asked, ...ofHosts];
    } catch (error) {
      // It is told of when the variables of the host are read.
      if (error instanceof InvalidInput) return undefined;
      throw error;
    }
  }

  /** Whether an earlier run has kept a fact of this name. */
  #isKept(name: string): boolean {
    const { inventory, factCache } = this.#given;
    if (factCache === undefined) return false;
    this.#kept ??= [...(inventory?.groups().get('all') ?? []), 'localhost'].flatMap(
      (host) => factCache.read(host) ?? [],
    );
    return this.#kept.some((facts) => facts.has(name));
  }
}

/** A role, and those that it depends on. */
export function withDependencies(role: Role): Role[] {
  return [role, ...role.dependencies.flatMap(withDependencies)];
}

/** Whether a task may make variables whose names nobody can read. */
function makesNames(task: Task): boolean {
  const { module, action, args, argsTemplates, implicit } = task;
  if (implicit === true) return false;
  if (module === 'set_fact')
    return argsTemplates.length > 0 || [...args.keys()].some((name) => hasTemplate(name));
  if (module === 'include_vars' || module.startsWith('include_'))
    return (
      argsTemplates.length > 0 || [...args.values()].some((value) => namesElsewhere(task, value))
    );
  const isForeign = module !== '' && ansibleName('modules', module) === undefined;
  return isForeign || action.endsWith('_facts') || action.endsWith('getent');
}

const HERE =
  /^\{\{\s*(role_path|playbook_dir|item|ansible_\w+|inventory_hostname|lookup|query|q)\b/;

function namesElsewhere(task: Task, value: Value): boolean {
  return isElsewhere(textsOf(task, value).map((text) => text ?? value));
}

/** Whether files may lie outside of the project. */
function isElsewhere(names: readonly Value[]): boolean {
  const texts = names.flatMap((name) =>
    typeof name === 'string' ? [name] : templatesIn(name).map(({ text }) => text),
  );
  return texts.some(
    (text) => /(^|\/)\.\.(\/|$)|^[/~]/.test(text) || (text.startsWith('{{') && !HERE.test(text)),
  );
}
