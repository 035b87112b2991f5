/** Variables and membership of one batch of hosts in one play. */
import { dirname, resolve } from 'node:path';
import { InvalidInput } from '../../shared/errors.ts';
import type { InventoryPort } from '../inventory/inventory-port.ts';
import type { JinjaHost } from '../jinja/host.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import { enclosing, type Play, type Role, type Task } from '../playbook/model.ts';
import type { Dict, Value } from '../values.ts';
import { LayeredScope, live } from '../vars/task-scope.ts';
import { addressLayer, magicLayer, runLayer } from './magic.ts';
import { RoleRuns } from './role-runs.ts';
import type { RunState } from './run-state.ts';
import type { VarsFiles } from './vars-files.ts';

const NONE: Dict = new Map();

export class PlayContext {
  readonly run: RunState;
  readonly play: Play;
  /** Every host the play is meant for, in the order of the play. */
  readonly allHosts: readonly string[];
  readonly batch: readonly string[];
  readonly varsFiles: VarsFiles;
  /** Hosts that count no longer: they have ended, or failed at what no rescue saves, even if it is forgotten later. */
  readonly ended = new Set<string>();
  readonly roleRuns = new RoleRuns();
  readonly #includedRoles: Role[] = [];
  #roleLayers = new Map<Role | undefined, { readonly strong: Dict; readonly weak: Dict }>();

  constructor(
    run: RunState,
    play: Play,
    hosts: {
      readonly all: readonly string[];
      readonly batch: readonly string[];
      readonly varsFiles: VarsFiles;
    },
  ) {
    this.run = run;
    this.play = play;
    this.allHosts = hosts.all;
    this.batch = hosts.batch;
    this.varsFiles = hosts.varsFiles;
  }

  /** Hosts of the batch that still run. */
  activeHosts(): string[] {
    return this.batch.filter((host) => !this.run.isLost(host) && !this.ended.has(host));
  }

  /** Hosts of the whole play that have not been lost. */
  playHosts(): string[] {
    return this.allHosts.filter((host) => !this.run.isLost(host) && !this.ended.has(host));
  }

  /** Roles of the play without dependencies, those that it has included by now last. */
  roles(): readonly Role[] {
    return [...this.play.staticRoles, ...this.#includedRoles];
  }

  /** A role has been included; where it is public, its variables are visible from now on. */
  addRole(role: Role): void {
    this.#includedRoles.push(role);
    if (role.exported) this.#roleLayers = new Map();
  }

  /** All variables a task sees on a host, strongest first (ansible.com: variable precedence). */
  scope(host: string, task: Task | undefined, local: Dict = NONE): LayeredScope {
    const variables = this.run.variablesOf(host);
    const own = task === undefined ? undefined : inheritedBy(task);
    const layers = this.#layersOf(task);
    const magic = { context: this, host, task, scope: () => scope };
    const scope: LayeredScope = new LayeredScope([
      local,
      magicLayer(magic),
      this.run.options.extraVars,
      own?.includeParams ?? NONE,
      own?.roleParams ?? NONE,
      live(() => variables.set),
      live(() => variables.included),
      own?.vars ?? NONE,
      layers.strong,
      this.varsFiles.of(host, this),
      this.play.vars,
      live(() => variables.factVariables),
      variables.inventory,
      layers.weak,
      addressLayer(magic),
    ]);
    return scope;
  }

  /** Variables of roles above the play's own, and role defaults below everything. */
  #layersOf(task: Task | undefined): { readonly strong: Dict; readonly weak: Dict } {
    const role = task?.parent.role;
    let layers = this.#roleLayers.get(role);
    if (layers === undefined) {
      const shared = this.roles().filter(({ exported }) => exported);
      const all = shared.flatMap(withDependencies);
      const around = task === undefined ? [] : rolesAround(task);
      const needed = role === undefined ? [] : role.dependencies.flatMap(withDependencies);
      const own = role ?? [];
      layers = {
        strong: together([...all, ...around, ...needed].concat(own), ({ vars }) => vars),
        weak: together([...all, ...needed, ...around].concat(own), ({ defaults }) => defaults),
      };
      this.#roleLayers.set(role, layers);
    }
    return layers;
  }

  /** What lookups and includes of a task may use of the controller. */
  jinjaHost(task: Task | undefined, speculative = false): JinjaHost {
    const { loader, inventory, setting } = this.run.services;
    return {
      searchPath:
        task === undefined ? [this.play.playbookDir] : searchPath(task, this.play.playbookDir),
      decryptFile: (text) => loader.secrets.decrypt(text),
      inventoryHostnames: (pattern) => selected(inventory, pattern),
      setting,
      speculative,
    };
  }

  render(value: Value, host: string, task?: Task): Value {
    return this.run.services.jinja.renderValue(value, this.scope(host, task), this.jinjaHost(task));
  }

  /** Renders a keyword of the play, or the name of a handler: with no variables of hosts. */
  renderForPlay(value: Value, task?: Task): Value {
    const own = task === undefined ? undefined : inheritedBy(task);
    const { strong, weak } = this.#layersOf(task);
    const scope = new LayeredScope([
      runLayer(this, task),
      this.run.options.extraVars,
      own?.includeParams ?? NONE,
      own?.roleParams ?? NONE,
      own?.vars ?? NONE,
      strong,
      this.varsFiles.common(),
      this.play.vars,
      weak,
    ]);
    return this.run.services.jinja.renderValue(value, scope, this.jinjaHost(task));
  }
}

/** A pattern that means nothing finds no host, also where the configuration makes that an error. */
function selected(inventory: InventoryPort, pattern: string): readonly string[] {
  try {
    return inventory.select(pattern);
  } catch (error) {
    if (error instanceof InvalidInput) return [];
    throw error;
  }
}

/** The roles that led to a task, outermost first; with its own role. */
function rolesAround(task: Task): Role[] {
  const around = [...enclosing(task.parent)].flatMap(({ role }) => role ?? []);
  return [...new Set(around)].toReversed();
}

function together(roles: readonly Role[], variables: (role: Role) => Dict): Dict {
  return new Map(roles.flatMap((role) => [...variables(role)]));
}

function withDependencies(role: Role): Role[] {
  return [...role.dependencies.flatMap(withDependencies), role];
}

/** Directories in which relative files of a task are looked for: its roles, its file's own, the playbook's. */
export function searchPath(task: Task, playbookDir: string): string[] {
  const roles = [...enclosing(task.parent)].flatMap(({ role }) =>
    role === undefined ? [] : [role.path, ...role.parents.toReversed().map(({ path }) => path)],
  );
  return [...new Set([...roles, resolve(dirname(task.file)), resolve(playbookDir)])];
}
