/** Variables and membership of one batch of hosts in one play. */
import { dirname, resolve } from 'node:path';
import type { JinjaHost } from '../jinja/host.ts';
import { inheritedBy } from '../playbook/inherited.ts';
import { enclosing, type Play, type Role, type Task } from '../playbook/model.ts';
import type { Dict, Value } from '../values.ts';
import { LayeredScope, live } from '../vars/task-scope.ts';
import { magicLayer, runLayer } from './magic.ts';
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
  /** Hosts of the batch that finished early without failing (end_host). */
  readonly ended = new Set<string>();
  readonly #publicRoles: Role[] = [];
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

  /** Roles whose variables every task of the play sees. */
  exportedRoles(): readonly Role[] {
    return [...this.play.staticRoles.filter(({ exported }) => exported), ...this.#publicRoles];
  }

  /** A role included with `public: true`: its variables are visible from now on. */
  exportRole(role: Role): void {
    this.#publicRoles.push(role);
    this.#roleLayers = new Map();
  }

  /** All variables a task sees on a host, strongest first (ansible.com: variable precedence). */
  scope(host: string, task: Task | undefined, local: Dict = NONE): LayeredScope {
    const variables = this.run.variablesOf(host);
    const own = task === undefined ? undefined : inheritedBy(task);
    const role = task?.parent.role;
    const layers = this.#layersOf(role);
    const scope: LayeredScope = new LayeredScope([
      local,
      magicLayer({ context: this, host, task, scope: () => scope }),
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
    ]);
    return scope;
  }

  /** Variables of roles above the play's own, and role defaults below everything. */
  #layersOf(role: Role | undefined): { readonly strong: Dict; readonly weak: Dict } {
    let layers = this.#roleLayers.get(role);
    if (layers === undefined) {
      const own = role === undefined ? [] : [...role.parents, ...withDependencies(role)];
      const roles = [...this.exportedRoles(), ...own];
      layers = {
        strong: new Map(roles.flatMap(({ vars }) => [...vars])),
        weak: new Map(roles.flatMap(({ defaults }) => [...defaults])),
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
      inventoryHostnames: (pattern) => inventory.select(pattern),
      setting,
      speculative,
    };
  }

  render(value: Value, host: string, task?: Task): Value {
    return this.run.services.jinja.renderValue(value, this.scope(host, task), this.jinjaHost(task));
  }

  /** Renders a keyword of the play, before hosts are chosen: with no variables of theirs. */
  renderForPlay(value: Value): Value {
    const scope = new LayeredScope([
      runLayer(this),
      this.run.options.extraVars,
      this.varsFiles.common(),
      this.play.vars,
    ]);
    return this.run.services.jinja.renderValue(value, scope, this.jinjaHost(undefined));
  }
}

function withDependencies(role: Role): Role[] {
  return [...role.dependencies.flatMap(withDependencies), role];
}

/** Directories in which relative files of a task are looked for: its roles, its file's own, the playbook's. */
function searchPath(task: Task, playbookDir: string): string[] {
  const roles = [...enclosing(task.parent)].flatMap(({ role }) =>
    role === undefined ? [] : [role.path, ...role.parents.toReversed().map(({ path }) => path)],
  );
  return [...new Set([...roles, resolve(dirname(task.file)), resolve(playbookDir)])];
}
