/** One host's way through a play: sections, blocks with rescue and always, handlers, includes. */
import type { Block, Node, Play, Role, Task } from '../playbook/model.ts';
import { fromPlain, type Value } from '../values.ts';
import type { Batch, Way } from './batch.ts';
import { keptResult } from './outcome.ts';
import type { Path } from './pace.ts';
import { HostEnded, HostLost, RoleEnded, TaskFailed } from './signals.ts';

/** A list of nodes and how far the host has come in it: what lies ahead can be read off the stack. */
interface Level {
  readonly nodes: readonly Node[];
  next: number;
}

const FLUSH = 1_000_000;

export class HostWalk implements Way {
  readonly #batch: Batch;
  readonly #host: string;
  /** The roles around the host that it has run before. */
  readonly #repeated = new Set<Role>();
  readonly #stack: Level[] = [];
  /** Blocks around the present task whose rescue would take over. */
  #rescues = 0;

  constructor(batch: Batch, host: string) {
    this.#batch = batch;
    this.#host = host;
  }

  /** Walks the whole play. Resolves however the host fared: its fate is with the run. */
  async walk(sections: readonly (readonly Node[])[]): Promise<void> {
    try {
      for (const [i, nodes] of sections.entries()) await this.#section(nodes, [i]);
    } catch (error) {
      this.#fate(error);
    }
  }

  #fate(error: unknown): void {
    if (error instanceof TaskFailed) this.#batch.lose(this.#host, error);
    else if (error instanceof HostEnded) this.#batch.context.ended.add(this.#host);
    else if (!(error instanceof HostLost)) this.#batch.loseTo(this.#host, error);
  }

  async #section(nodes: readonly Node[], path: Path): Promise<void> {
    try {
      await this.#nodes(nodes, path);
    } catch (error) {
      if (error instanceof TaskFailed && this.#batch.forcesHandlers())
        await this.#flush([...path, FLUSH]);
      throw error;
    }
    await this.#flush([...path, FLUSH]);
  }

  async #nodes(nodes: readonly Node[], path: Path): Promise<void> {
    const level: Level = { nodes, next: 0 };
    this.#stack.push(level);
    try {
      for (const [i, node] of nodes.entries()) {
        level.next = i + 1;
        const here = [...path, i];
        if (node.node === 'block') await this.#block(node, here);
        else await this.#task(node, here);
      }
    } finally {
      this.#stack.pop();
    }
  }

  async #block(block: Block, path: Path): Promise<void> {
    const role = block.kind === 'role' ? block.role : undefined;
    if (role === undefined) await this.#guarded(block, path);
    else await this.#role(role, block, path);
  }

  /**
   * Tasks of a role that has run on the host with the same parameters do not run again. Roles that it imports do,
   * unless they are told not to.
   */
  async #role(role: Role, block: Block, path: Path): Promise<void> {
    const { roleRuns } = this.#batch.context;
    if (roleRuns.isRepeated(this.#host, role)) this.#repeated.add(role);
    try {
      await this.#guarded(block, path);
    } catch (error) {
      if (!(error instanceof RoleEnded) || error.role !== role) throw error;
    } finally {
      this.#repeated.delete(role);
    }
    roleRuns.ended(this.#host, role);
  }

  async #guarded(block: Block, path: Path): Promise<void> {
    let failure: TaskFailed | undefined;
    try {
      await this.#rescued(block, path);
    } catch (error) {
      if (!(error instanceof TaskFailed)) throw error;
      failure = error;
      if (!this.isRescued()) this.#batch.context.ended.add(this.#host);
    }
    const { clearings } = this.#batch;
    await this.#nodes(block.always, [...path, 2]);
    if (failure === undefined) return;
    if (this.#batch.clearings === clearings) throw failure;
    this.#batch.count(this.#host, failure);
  }

  async #rescued(block: Block, path: Path): Promise<void> {
    try {
      await this.#tried(block, path);
    } catch (error) {
      if (!(error instanceof TaskFailed) || block.rescue.length === 0) throw error;
      if (error.isOwn) this.#batch.run.statsOf(this.#host).rescued += 1;
      this.#tellFailure(error);
      await this.#nodes(block.rescue, [...path, 1]);
    }
  }

  async #tried(block: Block, path: Path): Promise<void> {
    const rescues = block.rescue.length > 0 ? 1 : 0;
    this.#rescues += rescues;
    try {
      await this.#nodes(block.block, [...path, 0]);
    } finally {
      this.#rescues -= rescues;
    }
  }

  isRescued(): boolean {
    return this.#rescues > 0;
  }

  #tellFailure({ task, outcome }: TaskFailed): void {
    const shown = fromPlain({ name: String(task.name ?? ''), action: task.action });
    const variables = new Map<string, Value>([
      ['ansible_failed_task', shown],
      ['ansible_failed_result', keptResult(outcome.result) as Value],
    ]);
    this.#batch.run.variablesOf(this.#host).setVariables(variables);
  }

  async #task(task: Task, path: Path): Promise<void> {
    const { role } = task.parent;
    if (role !== undefined && this.#repeated.has(role)) return;
    if (this.#batch.isDue(task, this.#host)) await this.#step(task, path);
  }

  async #step(task: Task, path: Path): Promise<void> {
    this.#batch.prepare(this.#host, this);
    const { signal, blocks, flushes } = await this.#batch.arrive(this.#host, path, task);
    if (signal instanceof HostLost && (await this.#batch.isRevived(this.#host))) return;
    if (signal !== undefined) throw signal;
    for (const [i, { block, variant }] of blocks.entries()) {
      await this.#block(block, [...path, i, variant]);
    }
    if (flushes === true) await this.#flush([...path, 0]);
  }

  /**
   * Runs the handlers that are pending for the host once, in the order of definition. What one of them notifies runs
   * as well if it comes later; an earlier one, or itself, waits for the next flush.
   */
  async #flush(path: Path): Promise<void> {
    const { handlers } = this.#batch;
    for (const [i, task] of handlers.all().entries()) {
      if (!handlers.pending(this.#host).has(task)) continue;
      handlers.done(this.#host, task);
      await this.#step(task, [...path, i]);
    }
  }

  *upcoming(): Iterable<Task> {
    for (const { nodes, next } of this.#stack.toReversed()) {
      for (const task of tasksOf(nodes.slice(next))) {
        if (this.#batch.isDue(task, this.#host)) yield task;
      }
    }
  }
}

function* tasksOf(nodes: readonly Node[]): Iterable<Task> {
  for (const node of nodes) {
    if (node.node === 'task') yield node;
    else yield* tasksOf([...node.block, ...node.always]);
  }
}

/** Everything a play runs, section by section; handlers are flushed after each. */
export function sectionsOf(play: Play, gather: readonly Task[]): readonly (readonly Node[])[] {
  return [[...gather, ...play.preTasks], [...play.roles, ...play.tasks], play.postTasks];
}
