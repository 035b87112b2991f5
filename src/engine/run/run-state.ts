/** What a whole run shares: services handed in by the caller, and what is known of hosts so far. */
import { PredictedState } from '../host/predicted.ts';
import type { ConnectionDefaults } from '../inventory/connection-reader.ts';
import type { InventoryPort } from '../inventory/inventory-port.ts';
import type { SettingFound } from '../jinja/host.ts';
import type { Jinja } from '../jinja/jinja.ts';
import type { Module } from '../module.ts';
import type { LoaderOptions } from '../playbook/source.ts';
import type { Dict } from '../values.ts';
import type { FactCache } from '../vars/fact-cache.ts';
import { HostVariables } from '../vars/host-variables.ts';
import { type Emit, emptyStats, type HostStats } from './events.ts';
import { HostRuntime } from './host-runtime.ts';
import { failureOf, reasonOf } from './outcome.ts';
import type { Sessions } from './sessions.ts';

/** The modules there are. */
export interface Catalogue {
  /** The canonical name of a module written short, full or as an alias. */
  resolve(name: string): string | undefined;
  load(name: string): Promise<Module>;
  /** A module that has been loaded already. */
  loaded(name: string): Module | undefined;
  names(): Iterable<string>;
}

export interface RunOptions {
  readonly check: boolean;
  readonly diff: boolean;
  /** Probe again after every change and fail when something is left to do. */
  readonly verify: boolean;
  readonly forks: number;
  readonly verbosity: number;
  readonly extraVars: Dict;
  readonly tags: readonly string[];
  readonly skipTags: readonly string[];
  readonly limit: string | undefined;
  readonly startAtTask: string | undefined;
  readonly forceHandlers: boolean;
  readonly anyErrorsFatal: boolean;
  /** The strategy of plays that name none. */
  readonly strategy: string;
  /** What tasks hide that do not say it themselves. */
  readonly noLog: boolean;
  /** Whether a notification that no handler hears ends the run. */
  readonly errorOnMissingHandler: boolean;
  /** Whether facts are variables of their own beside `ansible_facts`. */
  readonly injectFacts: boolean;
  /** `implicit`, `explicit` or `smart`. */
  readonly gathering: string;
  readonly maxDiffBytes: number;
  readonly rolesPath: readonly string[];
  readonly connection: ConnectionDefaults;
  readonly inventorySources: readonly string[];
  readonly configFile: string | undefined;
  /** Asks before each task (--step); gives what to do. */
  readonly confirmTask?: ((title: string) => Promise<'yes' | 'no' | 'continue'>) | undefined;
  /** Asks the person at the terminal (pause); absent where there is none. */
  readonly ask?:
    | ((question: string, options: { readonly echo: boolean }) => Promise<string>)
    | undefined;
}

export interface RunServices {
  readonly inventory: InventoryPort;
  readonly jinja: Jinja;
  readonly catalogue: Catalogue;
  readonly sessions: Sessions;
  /** Settings by Ansible's names, for the config lookup. */
  readonly setting: (name: string) => SettingFound | undefined;
  /** Where facts are kept between runs; absent where they are forgotten. */
  readonly factCache?: FactCache | undefined;
  /** For files that are read while the run goes on: includes, vars files. */
  readonly loader: LoaderOptions;
  readonly emit: Emit;
  readonly signal: AbortSignal;
}

/** One run of one or more playbooks. */
export class RunState {
  readonly options: RunOptions;
  readonly services: RunServices;
  readonly stats = new Map<string, HostStats>();
  /** Hosts that failed, and those that could not be reached: no later play runs on them. */
  readonly failed = new Set<string>();
  readonly unreachable = new Set<string>();
  readonly #variables = new Map<string, HostVariables>();
  readonly #runtimes = new Map<string, HostRuntime>();
  /** --step was answered with "continue". */
  #goesOn = false;
  #hasStarted = false;
  /** Hosts counted for max_fail_percentage: every failure of the run so far. */
  failures = 0;

  /** In check runs: what tasks would have done to this machine, whatever the name they know it by. */
  readonly controller = new PredictedState();

  /** What modules keep for the rest of the run. */
  readonly notes = new Map<string, unknown>();

  /** Whether any play has found hosts. */
  hasMatched = false;

  constructor(services: RunServices, options: RunOptions) {
    this.services = services;
    this.options = options;
  }

  /** The task that --start-at-task names, while no play has had it. */
  pendingStart(): string | undefined {
    return this.#hasStarted ? undefined : this.options.startAtTask;
  }

  started(): void {
    this.#hasStarted = true;
  }

  statsOf(host: string): HostStats {
    let stats = this.stats.get(host);
    if (stats === undefined) {
      stats = emptyStats();
      this.stats.set(host, stats);
    }
    return stats;
  }

  variablesOf(host: string): HostVariables {
    let variables = this.#variables.get(host);
    if (variables === undefined) {
      const { injectFacts } = this.options;
      const readInventory = () => this.services.inventory.hostVars(host);
      const { factCache: cache } = this.services;
      variables = new HostVariables(host, readInventory, { injectFacts, cache });
      this.#variables.set(host, variables);
    }
    return variables;
  }

  /** Reads the inventory's variables again, after hosts or groups were added. */
  refreshInventory(): void {
    for (const variables of this.#variables.values()) variables.refreshInventory();
  }

  runtimeOf(host: string): HostRuntime {
    let runtime = this.#runtimes.get(host);
    if (runtime === undefined) {
      runtime = new HostRuntime();
      this.#runtimes.set(host, runtime);
    }
    return runtime;
  }

  /** Lets go of what modules have kept: connections. */
  async forget(): Promise<void> {
    for (const note of this.notes.values()) {
      const { [Symbol.asyncDispose]: dispose } = (note ?? {}) as Partial<AsyncDisposable>;
      try {
        await dispose?.call(note);
      } catch (error) {
        this.warn(`after the run: ${reasonOf(failureOf(error).result)}`);
      }
    }
    this.notes.clear();
  }

  hasLost(): boolean {
    return this.failed.size > 0 || this.unreachable.size > 0;
  }

  isLost(host: string): boolean {
    return this.failed.has(host) || this.unreachable.has(host);
  }

  /** Asks before a task when the run goes step by step. */
  async confirm(title: string): Promise<'yes' | 'no'> {
    const { confirmTask } = this.options;
    if (confirmTask === undefined || this.#goesOn) return 'yes';
    const answer = await confirmTask(title);
    if (answer === 'continue') this.#goesOn = true;
    return answer === 'no' ? 'no' : 'yes';
  }

  /** Tells those who asked with so many `-v`. */
  detail(verbosity: number, text: string): void {
    this.services.emit({ type: 'detail', verbosity, text });
  }

  warn(text: string): void {
    this.services.emit({ type: 'warning', text });
  }
}
