/** The hosts of one batch of a play, in lockstep: who is at which task, what was decided for all. */
import type { Block, Task } from '../playbook/model.ts';
import { Handlers } from './handlers.ts';
import { Lockstep, type Path } from './lockstep.ts';
import { LookAhead } from './look-ahead.ts';
import { failureOf } from './outcome.ts';
import type { PlayContext } from './play-context.ts';
import type { RunState } from './run-state.ts';
import { isSelected, tagsOf } from './selection.ts';
import type { TaskFailed } from './signals.ts';
import { TaskTurn, toBoolean } from './task-turn.ts';

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
  /** --start-at-task: tasks before it are passed over. */
  readonly startAt: Task | undefined;
  readonly #lockstep: Lockstep<string, Task, StepEnd>;
  readonly #ahead = new Map<string, LookAhead>();
  readonly #ways = new Map<string, Way>();
  readonly #started = new Set<string>();
  readonly #selected = new Map<Task, boolean>();

  constructor(context: PlayContext, startAt: Task | undefined, turn: BatchTurn) {
    this.context = context;
    this.run = context.run;
    this.startAt = startAt;
    this.handlers = new Handlers(context.play.handlers, {
      renderName: (name) => this.#handlerName(name),
      tell: (text) => this.run.detail(2, text),
    });
    this.#lockstep = new Lockstep(context.batch.length, (task, hosts) => turn(this, task, hosts));
  }

  arrive(host: string, path: Path, task: Task): Promise<StepEnd> {
    return this.#lockstep.arrive(host, path, task);
  }

  leave(): void {
    this.#lockstep.leave();
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
    if (!this.#isStarted(task, host)) return false;
    let selected = this.#selected.get(task);
    if (selected === undefined) {
      const tags = tagsOf(task, (value) => this.context.render(value, host, task));
      selected = isSelected(tags, this.run.options.tags, this.run.options.skipTags);
      this.#selected.set(task, selected);
    }
    return selected;
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

  /** A host that no rescue saved: it takes no further part in the run. */
  lose(host: string, failure: TaskFailed): void {
    if (failure.isOwn) {
      this.run.statsOf(host).failed += 1;
      this.run.failures += 1;
    }
    this.run.failed.add(host);
  }

  /** Names of handlers know no host: facts in them cannot be matched. */
  #handlerName(name: Parameters<PlayContext['renderForPlay']>[0]): string {
    try {
      return String(this.context.renderForPlay(name));
    } catch (error) {
      failureOf(error);
      return '';
    }
  }
}
