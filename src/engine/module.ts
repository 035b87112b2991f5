/** The contract between the engine and a module: the one engine file that modules import. */
import type { Field } from '../shared/schema.ts';
import type { Diff, Effect, Reader, Step, StepOutput, Writer } from './host-contract.ts';
import type { Value } from './values.ts';

export { TaskError, UnknownState } from '../shared/errors.ts';
export {
  type AttributeFacts,
  chmodCommand,
  diffOwnership,
  type FileAttributes,
  fileAttributes,
  fileResult,
  fileReturns,
  type Ownership,
  ownershipCommands,
  probeAttributes,
  resolveAttributes,
  stateName,
  wantedMode,
} from './file-attributes.ts';
export { DIFF_LIMIT_BYTES } from './file-diff.ts';
export { flagCommands } from './file-flags.ts';
export {
  bytesContent,
  type KnownContent,
  planAttributes,
  planFile,
  together,
} from './file-placement.ts';
export { expandPath } from './host/expand-paths.ts';
export * from './host-contract.ts';
export type { Value } from './values.ts';

/** Members of a task's result. Snake case, as Ansible returns them. */
export type Result = Readonly<Record<string, unknown>>;

/** What of a result is registered and never shown: all of it, or the texts in it that are encrypted with vault. */
export type Hiding = 'result' | 'vaults';

/** What a module means to do to one host: plain data. No steps means the host already conforms. */
export interface Plan<State> {
  readonly before: State;
  readonly after: State;
  readonly steps: readonly Step[];
  readonly effects: readonly Effect[];
  readonly diff?: Diff | readonly Diff[];
  readonly warnings?: readonly string[];
  /**
   * For a module that cannot know what its steps do (command, shell): the result that a check run reports
   * instead of running them, e.g. `{ skipped: true, … }` or `{ changed: true, … }`.
   */
  readonly unknowable?: Result;
}

/** What lies on the controller for one task: files along Ansible's search path, templates, variables. */
export interface Controller {
  /** Absolute path of a file of the playbook or role. Throws TaskError naming the places searched. */
  findFile(kind: 'files' | 'templates' | 'vars', name: string): string;
  /** Content of a file; one encrypted with vault is decrypted unless `decrypt` is false. */
  readFile(file: string, options?: { readonly decrypt?: boolean }): Buffer;
  /** Whether a file is encrypted with vault as a whole. */
  isVault(file: string): boolean;
  /**
   * Variables of a YAML or JSON file of the user's, decrypted; their templates are trusted. Throws InvalidInput where
   * the file is not a mapping with text keys.
   */
  loadVariables(file: string): ReadonlyMap<string, Value>;
  /** What a YAML or JSON file holds, as plain data; undefined where there is none. Throws InvalidInput where it is malformed. */
  readData(file: string): unknown;
  /** Every YAML document of a text, as plain data; `origin` is how messages name it. Throws InvalidInput where it is malformed. */
  parseDocuments(text: string, origin: string): unknown[];
  /** Renders a template file: `.hbs` by Handlebars, anything else by Jinja. */
  renderTemplate(file: string, options?: TemplateOptions): string;
  /** Directory of the playbook; relative local paths start here. */
  readonly playbookDir: string;
  /**
   * What modules note for the rest of the run, whatever the task and the host; by name. What has a method
   * `Symbol.asyncDispose` is told when the run ends.
   */
  readonly notes: Map<string, unknown>;
}

export interface TemplateOptions {
  readonly trimBlocks?: boolean;
  readonly lstripBlocks?: boolean;
  readonly newlineSequence?: string;
  readonly variableStart?: string;
  readonly variableEnd?: string;
  readonly blockStart?: string;
  readonly blockEnd?: string;
  readonly commentStart?: string;
  readonly commentEnd?: string;
  /** Variable `template_path` for the template: the path as it is written. */
  readonly name?: string;
  /** Variable `template_destpath` for the template. */
  readonly destination?: string;
}

/** What a conversation may ask of the engine. */
export interface Conversation {
  readonly host: Writer;
  readonly controller: Controller;
  readonly signal: AbortSignal;
  /** Variables of the task: rendered, or undefined. */
  variable(name: string): Value | undefined;
  /** The same as plain data. */
  plainVariable(name: string): unknown;
  /** The task's arguments as values of the language, by the names that the user wrote; those in `asWritten` unrendered. */
  readonly rawArgs: ReadonlyMap<string, Value>;
  /**
   * Evaluates an expression of the module's own with the task's variables; undefined where it names something
   * undefined. Throws TaskError where it is malformed or fails.
   */
  evaluate(expression: Value): Value | undefined;
  /** The same for an expression that was given as an argument. Throws TaskError also where it comes from data. */
  evaluateGiven(expression: Value): Value | undefined;
  /** Judges a condition as `when` does. Throws TaskError where it is malformed, fails or is not a boolean. */
  test(condition: Value): boolean;
  /** Closes and opens the connection again; resolves when a trivial command answers. Throws Unreachable. */
  reconnect(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Asks the person at the terminal; undefined where there is none. `echo` false hides the answer. */
  ask?: (question: string, options?: { readonly echo?: boolean }) => Promise<string>;
  /** Waits, and stops waiting when the run is interrupted. */
  sleep(ms: number): Promise<void>;
  /** The time on the controller. */
  now(): Date;
  /** Shows a line to the person, e.g. progress on long work. */
  say(text: string): void;
}

/** Changes of the run itself that a controller-side module asks for. */
export interface RunEffects {
  readonly setFacts?: ReadonlyMap<string, Value>;
  readonly cacheable?: boolean;
  /** Variables with the rank of include_vars. */
  readonly includeVars?: ReadonlyMap<string, Value>;
  readonly addHost?: {
    readonly name: string;
    readonly groups: readonly string[];
    readonly variables: ReadonlyMap<string, Value>;
  };
  readonly groupBy?: { readonly group: string; readonly parents: readonly string[] };
}

/** How the arguments depend on each other. Names are of arguments; aliases count as the argument. */
export interface Constraints {
  readonly mutuallyExclusive?: readonly (readonly string[])[];
  readonly requiredTogether?: readonly (readonly string[])[];
  readonly requiredOneOf?: readonly (readonly string[])[];
  /** When `argument` has `value`, all (or with `any`, one) of `needs` must be given. */
  readonly requiredIf?: readonly {
    readonly argument: string;
    readonly value: unknown;
    readonly needs: readonly string[];
    readonly any?: boolean;
  }[];
  readonly requiredBy?: Readonly<Record<string, readonly string[]>>;
}

interface Declaration<Args> extends Constraints {
  /** Short name, as written in playbooks. */
  readonly name: string;
  /** Ansible's full name and other short names. */
  readonly aliases: readonly string[];
  /** Other names of it whose tasks take `module_defaults` of its own name as well (gather_facts those of setup). */
  readonly wrappers?: readonly string[];
  /** Action groups of collections that it is in, e.g. `kubernetes.core.k8s`: `module_defaults` may name them. */
  readonly groups?: readonly string[];
  readonly summary: string;
  readonly args: Field<Args>;
  /** The argument that takes free-form text (`command: uptime`). */
  readonly freeForm?: string;
  /** Arguments that are expressions or conditions (debug's `var`, assert's `that`): not rendered, see `rawArgs`. */
  readonly asWritten?: readonly string[];
  /** Accepts arguments beyond the declared ones (set_fact, add_host, group_by). */
  readonly openArgs?: boolean;
  /** Names of arguments may be templates (set_fact). */
  readonly rendersNames?: boolean;
  /** Does without the `environment` of the task, and warns where there is one (raw). */
  readonly ignoresEnvironment?: boolean;
  readonly examples: readonly { readonly title: string; readonly args: Record<string, unknown> }[];
  /** What the result holds beside `changed`, `failed`, `msg`: name and meaning. */
  readonly returns: Readonly<Record<string, string>>;
}

interface Acting {
  /**
   * It changes users or their groups: processes of other users that the engine keeps on the host would be in its way,
   * and would not have their new groups.
   */
  readonly changesAccounts?: boolean;
  /**
   * Whether these arguments (as written, templates unrendered) act on the host whatever its state, so that reading
   * ahead past the task is useless (a command without `creates`, a restart).
   */
  alwaysActs?(args: ReadonlyMap<string, Value>): boolean;
  /**
   * Its probe reads more than the host (the API server of a cluster), which other hosts change too: it is made when the
   * task's turn has come, never ahead.
   */
  readonly readsBeyondHost?: boolean;
}

/** A module that brings a resource to a state: probe, plan, apply. */
export interface StateModule<Args, Input, State> extends Declaration<Args>, Acting {
  /** Gathers from the controller what the plan needs (local files, rendered templates). */
  prepare?(controller: Controller, args: Args): Promise<Input> | Input;
  /** Reads the host. Must not change it. */
  probe(host: Reader, input: Input): Promise<State>;
  /** Pure: same state and input, same plan. Throws TaskError where the wish is impossible. */
  plan(current: State, input: Input): Plan<State>;
  /** Changes the host; by default the steps run in order. Gives their outputs to `report`. */
  apply?(host: Writer, plan: Plan<State>, input: Input): Promise<readonly StepOutput[]>;
  /** Pure: the members of the result, from the state reached (in check mode: predicted) and the steps' outputs (none in check mode). */
  report?(state: State, input: Input, plan: Plan<State>, outputs: readonly StepOutput[]): Result;
}

/** A module that is a conversation, not a state (reboot, wait_for, pause, debug, set_fact). */
export interface RunModule<Args> extends Declaration<Args> {
  run(
    conversation: Conversation,
    args: Args,
  ): Promise<{ readonly result: Result; readonly effects?: RunEffects; readonly hides?: Hiding }>;
  /**
   * What a check run reports instead of running; `{ skipped: true, … }` shows the task as skipped. Absent: the
   * module changes nothing and runs in check mode too.
   */
  resultInCheckMode?(args: Args): Result;
  /** It makes files on the controller, which a check run then lacks. */
  readonly makesLocalFiles?: boolean;
  /** Needs no connection to the host. */
  readonly local?: boolean;
  /** Runs once for all hosts of the batch (add_host, pause). */
  readonly once?: boolean;
}

/** A module that stands for another that brings something to a state, chosen by the host (package, service). */
export interface FrontModule<Args> extends Declaration<Args>, Acting {
  /** Expressions over the variables of the host that the choice depends on: `ansible_facts.pkg_mgr`. */
  readonly consults: readonly string[];
  /** Reads the host where `known`, what the expressions of `consults` give, does not decide. Undefined ones are left out. */
  choose(host: Reader, args: Args, known: Readonly<Record<string, unknown>>): Promise<Choice>;
}

/** What a front stands for. Arguments that are undefined are not given. */
export interface Choice {
  readonly module: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
}

/** Any module, as the registry and the engine handle it; a module's own types meet in its file. */
export type Module =
  | StateModule<unknown, unknown, unknown>
  | RunModule<unknown>
  | FrontModule<unknown>;

/** Declares a module that brings something to a state. Without `prepare`, its input is its arguments. */
export function defineModule<Args, State, Input = Args>(
  module: StateModule<Args, Input, State>,
): StateModule<Args, Input, State> {
  return module;
}

/** Declares a module that is a conversation. */
export function defineConversation<Args>(module: RunModule<Args>): RunModule<Args> {
  return module;
}

/** Declares a module that stands for another. */
export function defineFront<Args>(module: FrontModule<Args>): FrontModule<Args> {
  return module;
}

/** A plan, with the steps that are `false` dropped. */
export function change<State>(
  before: State,
  after: State,
  steps: readonly (Step | false)[],
  more: Partial<Omit<Plan<State>, 'before' | 'after' | 'steps'>> = {},
): Plan<State> {
  return { before, after, effects: [], ...more, steps: steps.filter((step) => step !== false) };
}
