/** One task on one host: its scope, its keywords, and what they come to. */
import { TemplateError } from '../jinja/errors.ts';
import { type Inherited, inheritedBy } from '../playbook/inherited.ts';
import type { Task } from '../playbook/model.ts';
import { type Dict, Float, OMIT, type Value } from '../values.ts';
import type { LayeredScope } from '../vars/task-scope.ts';
import type { PlayContext } from './play-context.ts';

const TRUE = new Set(['yes', 'on', '1', 'true', 'y', 't']);

interface TurnOf {
  readonly context: PlayContext;
  readonly task: Task;
  readonly host: string;
  readonly speculative?: boolean;
  readonly scope?: LayeredScope;
}

/** Keywords and values of a task as they are for one host and one loop item. */
export class TaskTurn {
  readonly context: PlayContext;
  readonly task: Task;
  readonly host: string;
  readonly scope: LayeredScope;
  readonly inherited: Inherited;
  /** Whether this is a look ahead, in which everything impure is refused. */
  readonly speculative: boolean;

  constructor(given: TurnOf) {
    const { context, task, host, speculative = false } = given;
    this.context = context;
    this.task = task;
    this.host = host;
    this.speculative = speculative;
    this.scope = given.scope ?? context.scope(host, task);
    this.inherited = inheritedBy(task);
  }

  /** The same turn with stronger variables: an item, a result. */
  with(local: Dict): TaskTurn {
    return new TaskTurn({ ...this, scope: this.scope.with(local) });
  }

  /** The same task as another host's variables see it, e.g. those of a delegate. */
  of(host: string): TaskTurn {
    const { context, task, speculative } = this;
    return new TaskTurn({ context, task, host, speculative });
  }

  render(value: Value): Value {
    return this.#jinja.renderValue(value, this.scope, this.#world);
  }

  evaluate(expression: string): Value {
    return this.#jinja.evaluate(expression, this.scope, this.#world, this.task.position);
  }

  /** Throws TemplateError; where a condition has no place of its own, that of the task. */
  condition(conditions: Value) {
    try {
      return this.#jinja.condition(conditions, this.scope, this.#world);
    } catch (error) {
      throw error instanceof TemplateError ? this.#placed(error) : error;
    }
  }

  #placed(error: TemplateError): TemplateError {
    if (error.position !== undefined) return error;
    const { message, isUndefined, variable } = error;
    return new TemplateError(message, {
      ...{ isUndefined, variable, cause: error },
      position: this.task.position,
    });
  }

  /** What a lookup gives for a `with_NAME` value. */
  lookup(name: string, value: Value): readonly Value[] {
    const terms = this.render(value);
    return this.#jinja.lookup(
      name,
      Array.isArray(terms) ? terms : [terms],
      this.scope,
      this.#world,
    );
  }

  renderFile(
    text: string,
    options: Parameters<PlayContext['run']['services']['jinja']['renderTemplateFile']>[1],
  ) {
    return this.#jinja.renderTemplateFile(text, options, this.scope, this.#world);
  }

  get #jinja() {
    return this.context.run.services.jinja;
  }

  get #world() {
    return this.context.jinjaHost(this.task, this.speculative);
  }

  /** A keyword's rendered value; undefined where it is absent, null or omitted. */
  keyword(name: string): Value | undefined {
    const raw = this.inherited.nearest(name);
    if (raw === undefined || raw === null) return undefined;
    const value = this.render(raw);
    return value === OMIT || value === null ? undefined : value;
  }

  flag(name: string): boolean | undefined {
    const value = this.keyword(name);
    return value === undefined ? undefined : toBoolean(value);
  }

  number(name: string): number | undefined {
    const value = this.keyword(name);
    if (value === undefined) return undefined;
    return value instanceof Float ? value.value : Number(value);
  }

  text(name: string): string | undefined {
    const value = this.keyword(name);
    return value === undefined ? undefined : String(value);
  }

  /** A list of texts: one text, a comma-separated one, or a list; rendered. */
  texts(name: string): string[] {
    const value = this.keyword(name);
    if (value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map(String);
  }
}

/** Ansible's reading of a keyword that must be true or false. */
export function toBoolean(value: Value): boolean {
  if (typeof value === 'string') return TRUE.has(value.toLowerCase());
  if (typeof value === 'number') return value !== 0;
  return value === true;
}
