/** The contract between the engine and a module: the one engine file that modules import. */
import type { Field } from '../shared/schema.ts';
import type { Command } from '../shared/shell.ts';
import type { Value } from './values.ts';

export { TaskError } from '../shared/errors.ts';
export type { Value } from './values.ts';

/** What a command printed. Bytes that are not UTF-8 are replaced by U+FFFD. */
export interface TextOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type FileType = 'file' | 'directory' | 'link' | 'fifo' | 'socket' | 'block' | 'char';

/** What is at a path. Sizes in bytes, times in seconds since the epoch, with fraction. */
export interface PathState {
  readonly path: string;
  readonly type: FileType;
  /** Permission bits, e.g. 0o644. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly owner: string;
  readonly group: string;
  readonly size: number;
  readonly inode: number;
  readonly device: number;
  readonly links: number;
  readonly atime: number;
  readonly mtime: number;
  readonly ctime: number;
  /** Where a link points, as it is written in the link. */
  readonly target?: string;
  /** Hex digest of a regular file, when it was asked for. */
  readonly checksum?: string;
  /** Content of a regular file, when it was asked for and is at most `PATH_CONTENT_LIMIT_BYTES`. */
  readonly content?: Buffer;
}

export const PATH_CONTENT_LIMIT_BYTES = 16 * 1024 * 1024;

export interface PathQuery {
  /** Look at what a link points to. Default false. */
  readonly follow?: boolean;
  readonly checksum?: 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';
  readonly content?: boolean;
}

export interface UserState {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly comment: string;
  readonly home: string;
  readonly shell: string;
}

export interface GroupState {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

/** A unit as `systemctl show` describes it; all its properties, text as systemd prints it. */
export interface UnitState {
  readonly name: string;
  readonly exists: boolean;
  readonly active: string;
  readonly enabled: string;
  readonly properties: Readonly<Record<string, string>>;
}

/**
 * Reads one host for one task, as the task's user. Never changes anything. Calls made in the same tick
 * travel together in one round trip. In check mode the answers include what earlier tasks would have done.
 */
export interface Reader {
  /** Name of the host in the inventory. */
  readonly name: string;
  /** Runs a command that only reads; any exit code is an answer. */
  read(command: Command): Promise<TextOutput>;
  /** What is at a path, or undefined. */
  path(path: string, query?: PathQuery): Promise<PathState | undefined>;
  user(nameOrId: string): Promise<UserState | undefined>;
  group(nameOrId: string): Promise<GroupState | undefined>;
  unit(name: string, scope?: 'system' | 'user' | 'global'): Promise<UnitState>;
  /** The facts that `setup` gathers, without prefix. */
  facts(options?: FactOptions): Promise<ReadonlyMap<string, Value>>;
  /**
   * What earlier tasks of a check run would have done to one resource (the last effect of that kind and name), or
   * undefined. `path`, `user`, `group` and `unit` consult it by themselves; other probes ask here.
   */
  predicted<K extends Effect['kind']>(
    kind: K,
    name: string,
  ): Extract<Effect, { kind: K }> | undefined;
  /** Every predicted effect of a kind, oldest first; empty outside check mode. */
  predictedAll<K extends Effect['kind']>(kind: K): readonly Extract<Effect, { kind: K }>[];
}

export interface FactOptions {
  readonly subset?: readonly string[];
  readonly timeoutSeconds?: number;
  readonly factPath?: string;
}

/** Writes to one host for one task. */
export interface Writer extends Reader {
  /** Carries out one step. Throws TaskError with rc, stdout and stderr when it fails. */
  perform(step: Step): Promise<StepOutput>;
  /** Streams a remote file's bytes. Throws TaskError when it cannot be read. */
  download(path: string): AsyncIterable<Buffer>;
}

export interface StepOutput extends TextOutput {
  /** Where the replaced file was kept, when the step asked for a backup. */
  readonly backupFile?: string;
}

/** Content of a file to write. Text and base64 travel in the script; a local file is streamed. */
export type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'base64'; readonly base64: string }
  | {
      readonly kind: 'local';
      readonly file: string;
      readonly sizeBytes: number;
      readonly sha1: string;
    };

/** A new content for a file, written atomically: temporary file in the same directory, fsync, rename. */
export interface WriteStep {
  readonly kind: 'write';
  readonly path: string;
  readonly content: Content;
  /** Permission bits; absent keeps those of the file that is replaced, or 0666 less the umask. */
  readonly mode?: number;
  /** Names or ids; absent keeps those of the file that is replaced. */
  readonly owner?: string;
  readonly group?: string;
  readonly backup?: boolean;
  /** Command with `%s` for the temporary file; a non-zero exit leaves the old file untouched. */
  readonly validate?: string;
  /** Overwrite in place when a rename is impossible (a bind mount, for example). */
  readonly unsafeWrites?: boolean;
}

export interface RunStep {
  readonly kind: 'run';
  readonly command: Command;
  /** Exit codes that are success; default only 0. `any` leaves the judgement to `report`. */
  readonly accept?: readonly number[] | 'any';
  readonly stdin?: string;
  /** Members of the failure's result, and the sentence to show when the step fails. */
  readonly failure?: string;
}

interface StepMarks {
  /** Planned whatever the state (a restart, a command): not expected to vanish when the plan is made again. */
  readonly always?: boolean;
  /** Housekeeping that Ansible does not count as a change (daemon-reload, apt-mark manual). */
  readonly quiet?: boolean;
}

/** One change of a plan, as plain data that can be stored and shown. */
export type Step = (WriteStep | RunStep) & StepMarks;

/** What a step will have done, so that later tasks of a check run see the host as it would be. */
export type Effect =
  | { readonly kind: 'path'; readonly name: string; readonly state: PathState | undefined }
  | { readonly kind: 'user'; readonly name: string; readonly state: UserState | undefined }
  | { readonly kind: 'group'; readonly name: string; readonly state: GroupState | undefined }
  | {
      readonly kind: 'unit';
      readonly name: string;
      readonly active?: string;
      readonly enabled?: string;
    }
  | {
      readonly kind: 'package';
      readonly name: string;
      readonly installed: boolean;
      readonly version?: string;
    }
  | { readonly kind: 'sysctl'; readonly name: string; readonly value: string }
  | { readonly kind: 'kernel-module'; readonly name: string; readonly loaded: boolean }
  /** Something not modelled changes; `name` says what, for `unknown (depends on: …)`. */
  | { readonly kind: 'other'; readonly name: string };

/** What `--diff` shows: two texts, two states, or text made by the tool itself. */
export type Diff =
  | {
      readonly before: string;
      readonly after: string;
      readonly beforeHeader?: string;
      readonly afterHeader?: string;
    }
  | { readonly before: object; readonly after: object }
  | { readonly prepared: string };

/** Members of a task's result. Snake case, as Ansible returns them. */
export type Result = Readonly<Record<string, unknown>>;

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
  /** Renders a template file: `.hbs` by Handlebars, anything else by Jinja. */
  renderTemplate(file: string, options?: TemplateOptions): string;
  /** Directory of the playbook; relative local paths start here. */
  readonly playbookDir: string;
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
  /** Evaluates a bare expression or a condition with the task's variables. */
  evaluate(expression: Value): Value;
  test(condition: Value): boolean;
  /** Closes and opens the connection again; resolves when a trivial command answers. Throws Unreachable. */
  reconnect(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Asks the person at the terminal; undefined where there is none. `echo` false hides the answer. */
  ask?: (question: string, options?: { readonly echo?: boolean }) => Promise<string>;
  /** Waits, and stops waiting when the run is interrupted. */
  sleep(ms: number): Promise<void>;
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
  readonly summary: string;
  readonly args: Field<Args>;
  /** The argument that takes free-form text (`command: uptime`). */
  readonly freeForm?: string;
  /** Accepts arguments beyond the declared ones (set_fact, add_host, group_by). */
  readonly openArgs?: boolean;
  readonly examples: readonly { readonly title: string; readonly args: Record<string, unknown> }[];
  /** What the result holds beside `changed`, `failed`, `msg`: name and meaning. */
  readonly returns: Readonly<Record<string, string>>;
}

/** A module that brings a resource to a state: probe, plan, apply. */
export interface StateModule<Args, Input, State> extends Declaration<Args> {
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
  ): Promise<{ readonly result: Result; readonly effects?: RunEffects }>;
  /**
   * What a check run reports instead of running; `{ skipped: true, … }` shows the task as skipped. Absent: the
   * module changes nothing and runs in check mode too.
   */
  resultInCheckMode?(args: Args): Result;
  /** Needs no connection to the host. */
  readonly local?: boolean;
  /** Runs once for all hosts of the batch (add_host, pause). */
  readonly once?: boolean;
}

/** A module that stands for another, chosen by the host (package, service). */
export interface FrontModule<Args> extends Declaration<Args> {
  choose(
    host: Reader,
    args: Args,
  ): Promise<{ readonly module: string; readonly args: Record<string, unknown> }>;
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

/** A step that runs a command. */
export function run(
  command: Command,
  options: Omit<RunStep, 'kind' | 'command'> & StepMarks = {},
): Step {
  return { kind: 'run', command, ...options };
}

/** A step that writes a file. */
export function write(file: Omit<WriteStep, 'kind'> & StepMarks): Step {
  return { kind: 'write', ...file };
}
