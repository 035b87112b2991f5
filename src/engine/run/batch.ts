/** The hosts of one batch of a play, in lockstep: who is at which task, what was decided for all. */
import { MissingHandler } from '../../shared/errors.ts';
import type { Block, Task } from '../playbook/model.ts';
import { textOf } from '../playbook/source.ts';
import type { Strategy } from '../playbook/strategy.ts';
import { toBoolean } from '../to-boolean.ts';
import type { Value } from '../values.ts';
import { Handlers } from './handlers.ts';
import { Limits } from './limits.ts';
import { Lockstep } from './lockstep.ts';
import { LookAhead } from './look-ahead.ts';
import { failureOf, type Outcome, reasonOf } from './outcome.ts';
import { FreePace, type Pace, type Path, type Turn } from './pace.ts';
import type { PlayContext } from './play-context.ts';
import type { RunState } from './run-state.ts';
import { isSelected, tagsOf } from './selection.ts';
import { HostEnded, type TaskFailed } from './signals.ts';
import { TaskTurn } from './task-turn.ts';
import { withIgnored } from './verdict.ts';

/** How a step ended for one host: it goes on, with what was included, or it leaves its way. */
export interface StepEnd {
  readonly signal: Error | undefined;
  readonly blocks: readonly { readonly block: Block; readonly variant: number }[];
  /** Whether the handlers that are pending run now. */
  readonly flushes?: boolean;
}

/** Where a host stands in its play. */
export interface Way {
  /** The tasks that follow the present one if nothing fails and nothing more is included. */
  upcoming(): Iterable<Task>;
  /** Whether a rescue takes over when the present task fails. */
  isRescued(): boolean;
}

/** Decisions that end more than one host's way. */
export interface Stop {
  /** end_play: no later batch of this play. */
  play: boolean;
  /** any_errors_fatal or max_fail_percentage: nothing after this. */
  run: boolean;
}

/** What is known of a batch before its first task. */
export interface BatchPlan {
  /** --start-at-task: tasks before it are passed over. */
  readonly startAt: Task | undefined;
  readonly strategy: Strategy;
}

/** Runs a task for the hosts that are at it and decides for each how it goes on. */
export type BatchTurn = (
  batch: Batch,
  task: Task,
  hosts: readonly string[],
) => Promise<ReadonlyMap<string, StepEnd>>;

export class Batch {
  readonly context: PlayContext;
  readonly run: RunState;
  readonly handlers: Handlers;
  readonly stop: Stop = { play: false, run: false };
  readonly startAt: Task | undefined;
  readonly strategy: Strategy;
  /** For hosts that go by themselves. */
  readonly limits: Limits;
  readonly #pace: Pace<string, Task, StepEnd>;
  readonly #ahead = new Map<string, LookAhead>();
  readonly #ways = new Map<string, Way>();
  readonly #started = new Set<string>();
  readonly #selected = new Map<Task, boolean>();
  /** Handlers whose names cannot be rendered. */
  readonly #unusable = new Set<Task>();
  readonly #present: Set<string>;
  readonly #unreachable = new Map<string, (isRevived: boolean) => void>();
  /** How often errors were cleared. */
  clearings = 0;
  /** Set where hosts that go by themselves are to end as soon as they come to a task. */
  endsAll = false;

  constructor(context: PlayContext, { startAt, strategy }: BatchPlan, turn: BatchTurn) {
    this.context = context;
    this.run = context.run;
    this.startAt = startAt;
    this.strategy = strategy;
    this.limits = new Limits(context.run.options.forks);
    this.#present = new Set(context.batch);
    this.handlers = new Handlers(context.play.handlers, {
      renderName: (name, task) => this.#handlerName(name, task),
      tell: (text) => this.run.detail(2, text),
    });
    this.#pace = this.#newPace((task, hosts) => turn(this, task, this.#inOrder(hosts)));
  }

  #newPace(turn: Turn<string, Task, StepEnd>): Pace<string, Task, StepEnd> {
    if (this.strategy === 'linear') return new Lockstep(this.context.batch.length, turn);
    return new FreePace(turn, this.strategy === 'free' ? undefined : this.run.options.forks);
  }

  /** Hosts arrive as their ways lead; the first of the play speaks for all where one does. */
  #inOrder(hosts: readonly string[]): string[] {
    const present = new Set(hosts);
    return this.context.batch.filter((host) => present.has(host));
  }

  async arrive(host: string, path: Path, task: Task): Promise<StepEnd> {
    if (this.endsAll) return { signal: new HostEnded(), blocks: [] };
    return await this.#pace.arrive(host, path, task);
  }

  /** The host takes no more turns. When none is left, those that wait to be revived have waited in vain. */
  leave(host: string): void {
    if (!this.#present.delete(host)) return;
    this.#pace.leave(host);
    if (this.#present.size > 0) return;
    for (const revive of this.#unreachable.values()) revive(false);
  }

  /** Waits out of the way of the others; says whether `clear_host_errors` has given the host another chance. */
  isRevived(host: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.#unreachable.set(host, resolve);
      this.leave(host);
    });
  }

  /** Forgets what hosts of the batch have failed at: those that were unreachable go on where they were. */
  clearErrors(): void {
    const { batch, ended } = this.context;
    for (const host of batch.filter((each) => this.run.isLost(each))) {
      ended.add(host);
      this.run.failed.delete(host);
      this.run.unreachable.delete(host);
    }
    this.clearings += 1;
    for (const [host, revive] of this.#unreachable) {
      this.#present.add(host);
      this.#pace.join(host);
      revive(true);
    }
    this.#unreachable.clear();
  }

  /** Remembers how to find out where a host stands. */
  prepare(host: string, way: Way): void {
    this.#ways.set(host, way);
  }

  upcoming(host: string): Iterable<Task> {
    return this.#ways.get(host)?.upcoming() ?? [];
  }

  /** Whether a rescue takes over when the host's task fails. */
  isRescued(host: string): boolean {
    return this.#ways.get(host)?.isRescued() ?? false;
  }

  aheadOf(host: string): LookAhead {
    let ahead = this.#ahead.get(host);
    if (ahead === undefined) {
      ahead = new LookAhead(this.context, host);
      this.#ahead.set(host, ahead);
    }
    return ahead;
  }

  turn(task: Task, host: string): TaskTurn {
    return new TaskTurn({ context: this.context, task, host });
  }

  /** Whether the conditions of a task hold on a host. */
  holds(task: Task, host: string): boolean {
    const turn = this.turn(task, host);
    return turn.condition(turn.inherited.when).result;
  }

  /** Whether tags and --start-at-task let the task run. Handlers run whatever the tags. */
  isDue(task: Task, host: string): boolean {
    if (task.isHandler) return true;
    if (!this.#isStarted(task, host) || this.#isNeedless(task, host)) return false;
    let selected = this.#selected.get(task);
    if (selected === undefined) {
      selected = this.#isSelected(task, host);
      this.#selected.set(task, selected);
    }
    return selected;
  }

  /** A task whose tags cannot be rendered is due, and fails. */
  #isSelected(task: Task, host: string): boolean {
    const { tags, skipTags } = this.run.options;
    try {
      return isSelected(this.tagsOf(task, host), tags, skipTags);
    } catch {
      return true;
    }
  }

  tagsOf(task: Task, host: string): string[] {
    return tagsOf(task, (value) => this.context.render(value, host, task));
  }

  /** Facts that are known are not gathered again where gathering is `smart`. */
  #isNeedless({ implicit, module }: Task, host: string): boolean {
    if (implicit !== true || module !== 'setup') return false;
    return this.run.options.gathering === 'smart' && this.run.variablesOf(host).isGathered;
  }

  #isStarted(task: Task, host: string): boolean {
    if (this.startAt === undefined || task.implicit === true) return true;
    if (task === this.startAt) this.#started.add(host);
    return this.#started.has(host);
  }

  forcesHandlers(): boolean {
    const own = this.context.play.keywords.get('force_handlers');
    if (own === undefined || own === null) return this.run.options.forceHandlers;
    return toBoolean(this.context.renderForPlay(own));
  }

  /** The outcome of a task on a host for whatever was thrown. Throws on what ends the whole run. */
  failure(task: Task, host: string, error: unknown): Outcome {
    if (error instanceof MissingHandler) throw error;
    this.run.services.signal.throwIfAborted();
    return withIgnored(this.turn(task, host), failureOf(error));
  }

  /** A host that no rescue saved: it takes no further part in the run. */
  lose(host: string, failure: TaskFailed): void {
    this.count(host, failure);
    this.run.failed.add(host);
  }

  /** Counts a failure that no rescue saved. */
  count(host: string, { isOwn }: Pick<TaskFailed, 'isOwn'>): void {
    if (!isOwn) return;
    this.run.statsOf(host).failed += 1;
    this.run.failures += 1;
  }

  /** A host that leaves its way for a reason outside of any task. Throws on what ends the whole run. */
  loseTo(host: string, error: unknown): void {
    if (error instanceof MissingHandler) throw error;
    this.run.services.signal.throwIfAborted();
    this.run.warn(`${host}: ${reasonOf(failureOf(error).result)}`);
    this.count(host, { isOwn: true });
    this.run.failed.add(host);
  }

  /** Names of handlers know no host: facts in them cannot be matched. */
  #handlerName(name: Value, task: Task): string {
    try {
      return String(this.context.renderForPlay(name, task));
    } catch (error) {
      const isKnown = this.#unusable.has(task) || task.keywords.has('listen');
      if (!isKnown) this.run.warn(unusableHandler(name, error));
      this.#unusable.add(task);
      return '';
    }
  }
}

function unusableHandler(name: Value, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `Handler '${textOf(name)}' is unusable because it has no listen topics and its name cannot be rendered (variables of hosts are not known in names of handlers): ${why}`;
}
