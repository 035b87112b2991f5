/**
 * Reads the host for the tasks that come next, all at once, so that a stretch of play that changes nothing costs
 * one round trip. Rendering ahead has no side effects (speculative turns refuse everything impure), and whatever
 * was read is used only if the task, when its turn comes, has the same arguments and nothing has changed since.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Module } from '../module.ts';
import { isInclude, type Task } from '../playbook/model.ts';
import { stillHolds } from '../run-module.ts';
import type { Value } from '../values.ts';
import { type Ahead, readHost, writerFor } from './dispatch.ts';
import { loopControl } from './loop-control.ts';
import { itemVariables, loopItems } from './loop-items.ts';
import type { PlayContext } from './play-context.ts';
import { makeReady, type Ready } from './ready.ts';
import { taskController } from './task-controller.ts';
import { TaskTurn } from './task-turn.ts';

interface Reading {
  readonly epoch: number;
  /** The task as it was when the reading began. */
  readonly of: Ready;
  /** Undefined when the probe failed: the task will find out by itself. */
  readonly ahead: Promise<Ahead | undefined>;
}

/** By the index of the loop's item; 0 where there is no loop. */
type Readings = Map<number, Promise<Reading | undefined>>;

const WIDEST_WINDOW = 256;

/** The probes made ahead for one host of a play. */
export class LookAhead {
  readonly #context: PlayContext;
  readonly #host: string;
  readonly #ahead = new Map<Task, Readings>();
  /** How many tasks are read ahead: grows while answers are used, shrinks when they turn out stale. */
  #window = WIDEST_WINDOW;

  constructor(context: PlayContext, host: string) {
    this.#context = context;
    this.#host = host;
  }

  /** Starts the probes of tasks to come together with this task's own, unless it was itself read ahead. */
  start(current: Task, upcoming: Iterable<Task>): void {
    const own = this.#context.run.services.catalogue.loaded(current.module);
    if (own === undefined || !canReadAhead(own) || this.#ahead.has(current)) return;
    // The other items of its loop come next.
    if (current.loop !== undefined) this.#launch(current);
    let room = this.#window;
    for (const { task, module } of this.#readable(upcoming)) {
      if (room === 0) return;
      room -= 1;
      if (canReadAhead(module) && !this.#ahead.has(task)) this.#launch(task);
    }
  }

  /** Tasks to come, up to the first one that may make stale what is read before it or that nobody knows yet. */
  *#readable(upcoming: Iterable<Task>): Iterable<{ task: Task; module: Module }> {
    for (const task of upcoming) {
      if (isInclude(task) && this.#isSkipped(task)) continue;
      const module = this.#context.run.services.catalogue.loaded(task.module);
      if (module === undefined || isInclude(task) || this.#stopsAt(task, module)) return;
      yield { task, module };
    }
  }

  /** The answer of a probe made ahead, if it still holds. */
  async take(turn: TaskTurn, index: number, ready: Ready): Promise<Ahead | undefined> {
    const readings = this.#ahead.get(turn.task);
    const reading = await readings?.get(index);
    readings?.delete(index);
    const ahead = await reading?.ahead;
    if (reading === undefined || ahead === undefined) return undefined;
    if (reading.epoch !== this.#epochOf(ready)) {
      this.#window = 1;
      this.#ahead.clear();
      return undefined;
    }
    const holds =
      isDeepStrictEqual(reading.of, ready) &&
      (await stillHolds(ahead.probed, taskController(turn)));
    if (holds) this.#window = Math.min(WIDEST_WINDOW, this.#window * 2);
    return holds ? ahead : undefined;
  }

  /** Whether what is read before this task would be stale after it. */
  #stopsAt(task: Task, module: Module): boolean {
    if (this.#context.run.options.check) return false;
    if ('run' in module) return module.local !== true && module.resultInCheckMode !== undefined;
    return module.alwaysActs?.(task.args) === true;
  }

  /** Whether variables alone say that an include brings in nothing. */
  #isSkipped(task: Task): boolean {
    const turn = this.#turn(task);
    return (
      task.loop === undefined && attempt(() => turn.condition(turn.inherited.when).result) === false
    );
  }

  #turn(task: Task): TaskTurn {
    return new TaskTurn({ context: this.#context, task, host: this.#host, speculative: true });
  }

  #launch(task: Task): void {
    const turn = this.#turn(task);
    const items = attempt((): readonly (Value | undefined)[] =>
      task.loop === undefined ? [undefined] : loopItems(turn),
    );
    if (items === undefined || (turn.inherited.nearest('run_once') ?? false) !== false) return;
    const readings: Readings = new Map();
    this.#ahead.set(task, readings);
    for (const i of items.keys()) readings.set(i, this.#probe(itemTurn(turn, items, i)));
    for (const [i, reading] of readings) void this.#forgetFailure(task, i, reading);
  }

  /** What could not be read ahead may be read with the tasks after it, once its turn comes. */
  async #forgetFailure(task: Task, index: number, reading: Promise<unknown>): Promise<void> {
    if ((await reading) !== undefined) return;
    const readings = this.#ahead.get(task);
    readings?.delete(index);
    if (readings?.size === 0) this.#ahead.delete(task);
  }

  /** Makes one item's task ready and starts its probe; undefined where that needs more than variables. */
  async #probe(turn: TaskTurn): Promise<Reading | undefined> {
    try {
      if (!turn.condition(turn.inherited.when).result) return undefined;
      const ready = await makeReady(turn);
      if (!canReadAhead(ready.module)) return undefined;
      const epoch = this.#epochOf(ready);
      const writer = await writerFor(turn, ready.settings, this.#context.run.services.signal);
      const ahead = readHost(turn, ready, writer).catch(() => undefined);
      return { epoch, of: ready, ahead };
    } catch {
      return undefined;
    }
  }

  #epochOf({ settings }: Ready): number {
    return this.#context.run.runtimeOf(settings.target).epoch;
  }
}

function canReadAhead(module: Module): boolean {
  return ('probe' in module && module.readsBeyondHost !== true) || 'choose' in module;
}

function itemTurn(turn: TaskTurn, items: readonly (Value | undefined)[], index: number): TaskTurn {
  if (turn.task.loop === undefined) return turn;
  const known = items.map((item) => item ?? null);
  const control = attempt(() => loopControl(turn));
  return control === undefined ? turn : turn.with(itemVariables(known, index, control));
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
