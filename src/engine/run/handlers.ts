/** The handlers of a play, and who was notified. */
import type { Node, Task } from '../playbook/model.ts';
import type { Value } from '../values.ts';

type RenderName = (value: Value) => string;

export class Handlers {
  readonly #lists: (readonly Task[])[];
  readonly #pending = new Map<string, Set<Task>>();
  readonly #renderName: RenderName;

  constructor(lists: readonly (readonly Node[])[], renderName: RenderName) {
    this.#lists = lists.map(flatten);
    this.#renderName = renderName;
  }

  /** Handlers of a role that was included while the play runs. */
  add(handlers: readonly Node[]): void {
    this.#lists.push(flatten(handlers));
  }

  /** Marks handlers of that name or topic for the host. False when there is none. */
  notify(host: string, wanted: string): boolean {
    const tasks = [...this.#named(wanted), ...this.#listening(wanted)];
    const pending = this.#pending.get(host) ?? new Set();
    this.#pending.set(host, pending);
    for (const task of tasks) pending.add(task);
    return tasks.length > 0;
  }

  /** Handlers in the order of their definition. */
  all(): readonly Task[] {
    return this.#lists.flat();
  }

  isPending(host: string, task: Task): boolean {
    return this.#pending.get(host)?.has(task) === true;
  }

  hasPending(host: string): boolean {
    return (this.#pending.get(host)?.size ?? 0) > 0;
  }

  done(host: string, task: Task): void {
    this.#pending.get(host)?.delete(task);
  }

  forget(host: string): void {
    this.#pending.delete(host);
  }

  /** Of several handlers with one name the last loaded counts; within one list the first. */
  #named(wanted: string): Task[] {
    for (const list of this.#lists.toReversed()) {
      const found = list.find((task) => this.#namesOf(task).includes(wanted));
      if (found !== undefined) return [found];
    }
    return [];
  }

  #namesOf(task: Task): string[] {
    const name = this.#renderName(task.name);
    if (name === '') return [];
    const role = task.parent.role?.name;
    return role === undefined ? [name] : [name, `${role} : ${name}`];
  }

  #listening(topic: string): Task[] {
    return this.all().filter((task) => {
      const listen = task.keywords.get('listen') ?? [];
      return (Array.isArray(listen) ? listen : [listen]).some(
        (each) => this.#renderName(each) === topic,
      );
    });
  }
}

function flatten(nodes: readonly Node[]): Task[] {
  return nodes.flatMap((node) => (node.node === 'task' ? [node] : flatten(node.block)));
}
