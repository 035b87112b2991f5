/** The handlers of a play, and who was notified. */
import { heardAs } from '../playbook/handler-names.ts';
import type { Node, Task } from '../playbook/model.ts';
import type { Value } from '../values.ts';

type RenderName = (value: Value, task: Task) => string;

export class Handlers {
  readonly #lists: (readonly Task[])[];
  readonly #pending = new Map<string, Set<Task>>();
  readonly #notes = new Map<string, Set<string>>();
  readonly #renderName: RenderName;
  readonly #tell: (text: string) => void;

  constructor(
    lists: readonly (readonly Node[])[],
    { renderName, tell }: { renderName: RenderName; tell: (text: string) => void },
  ) {
    this.#lists = lists.map(flatten);
    this.#renderName = renderName;
    this.#tell = tell;
  }

  /** Handlers of a role that was included while the play runs. */
  add(handlers: readonly Node[]): void {
    this.#lists.push(flatten(handlers));
  }

  /**
   * Notes that a host notifies a name or a topic. Which handlers that means is decided when they are to run. False
   * when there is none by now.
   */
  notify(host: string, wanted: string): boolean {
    const notes = this.#notes.get(host) ?? new Set();
    this.#notes.set(host, notes.add(wanted));
    return this.#meant(wanted).length > 0;
  }

  /** Handlers in the order of their definition. */
  all(): readonly Task[] {
    return this.#lists.flat();
  }

  /** The handlers that a host has notified and not run yet. */
  pending(host: string): ReadonlySet<Task> {
    this.settle(host);
    return this.#pending.get(host) ?? new Set();
  }

  /** Decides which handlers are meant by what a host has notified. */
  settle(host: string): void {
    const pending = this.#pending.get(host) ?? new Set();
    this.#pending.set(host, pending);
    for (const wanted of this.#notes.get(host) ?? []) {
      for (const task of this.#meant(wanted)) {
        if (!pending.has(task)) this.#told(host, task);
        pending.add(task);
      }
    }
    this.#notes.delete(host);
  }

  done(host: string, task: Task): void {
    this.#pending.get(host)?.delete(task);
  }

  #meant(wanted: string): Task[] {
    return [...this.#named(wanted), ...this.#listening(wanted)];
  }

  #told(host: string, task: Task): void {
    const { name, parent } = task;
    const role = parent.role === undefined ? '' : `${parent.role.name} : `;
    this.#tell(`NOTIFIED HANDLER ${role}${this.#renderName(name, task)} for ${host}`);
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
    return this.#known(task, [task.name]);
  }

  /** Of several listeners with one name, too, the last loaded counts. */
  #listening(topic: string): Task[] {
    const found = new Map<unknown, Task>();
    for (const list of this.#lists.toReversed()) {
      for (const task of list.filter((each) => this.#listens(each, topic))) {
        const name = this.#renderName(task.name, task);
        const key = name === '' ? task : name;
        if (!found.has(key)) found.set(key, task);
      }
    }
    return [...found.values()];
  }

  #listens(task: Task, topic: string): boolean {
    const listen = task.keywords.get('listen') ?? [];
    return this.#known(task, Array.isArray(listen) ? listen : [listen]).includes(topic);
  }

  /** The texts by which a handler is known. */
  #known(task: Task, written: readonly Value[]): string[] {
    const texts = written.map((each) => this.#renderName(each, task)).filter((text) => text !== '');
    return texts.flatMap((text) => heardAs(text, task.parent.role));
  }
}

function flatten(nodes: readonly Node[]): Task[] {
  return nodes.flatMap((node) => (node.node === 'task' ? [node] : flatten(node.block)));
}
