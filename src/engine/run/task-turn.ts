/** One task on one host: its scope, its keywords, and what they come to. */
import { TaskError } from '../../shared/errors.ts';
import { TemplateError } from '../jinja/errors.ts';
import type { Jinja } from '../jinja/jinja.ts';
import { type Inherited, inheritedBy } from '../playbook/inherited.ts';
import type { Task } from '../playbook/model.ts';
import { asBoolean } from '../to-boolean.ts';
import { type Dict, Float, OMIT, type Position, TrustedTemplate, type Value } from '../values.ts';
import type { Layer, LayeredScope } from '../vars/task-scope.ts';
import type { PlayContext } from './play-context.ts';

/** Where null is as wrong as any other value. */
const NEEDED = new Set(['connection', 'become_method', 'throttle', 'delay']);

const NUMBER = /^\s*[-+]?[0-9.]+\s*$/;

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
  with(local: Dict | Layer): TaskTurn {
    return new TaskTurn({ ...this, scope: this.scope.with(local) });
  }

  /** The same turn, and somebody who hears which variables it reads. */
  watched(onRead: (name: string) => void): TaskTurn {
    return new TaskTurn({ ...this, scope: this.scope.watched(onRead) });
  }

  /** The same task as another host's variables see it, e.g. those of a delegate. */
  of(host: string): TaskTurn {
    const { context, task, speculative } = this;
    return new TaskTurn({ context, task, host, speculative });
  }

  render(value: Value): Value {
    return this.#jinja.renderValue(value, this.scope, this.#world);
  }

  /** The same without members that are undefined; undefined where the value is so itself. */
  renderDefined(value: Value): Value | undefined {
    return this.#jinja.renderDefined(value, this.scope, this.#world);
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

  /** What a lookup gives for rendered terms. */
  lookup(name: string, terms: Value): readonly Value[] {
    return this.#jinja.lookup(
      name,
      Array.isArray(terms) ? terms : [terms],
      this.scope,
      this.#world,
    );
  }

  /** The same when files of a kind are meant: `files`, `templates`, `vars`. */
  lookupIn(subdirectory: string, name: string, terms: readonly Value[]): readonly Value[] {
    const world = { ...this.#world, actionSubdirectory: subdirectory };
    return this.#jinja.lookup(name, terms, this.scope, world);
  }

  fileVariables(template: Parameters<Jinja['fileVariables']>[0]) {
    return this.#jinja.fileVariables(template, this.scope, this.#world);
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

  /**
   * A keyword's rendered value; undefined where it is absent or null. On a task `omit` stands for what is inherited.
   * Throws TaskError where `omit` or null makes no sense.
   */
  keyword(name: string): Value | undefined {
    for (const { value: written, mayOmit } of this.inherited.levels(name)) {
      const value = written === null ? null : this.render(written);
      if (value === null && NEEDED.has(name)) throw this.#unusable(`${name} is null`, written);
      if (value !== OMIT) return value ?? undefined;
      if (!mayOmit) throw this.#unusable(`${name} cannot be omitted here`, written);
    }
    return undefined;
  }

  #unusable(message: string, written: Value): TaskError {
    const hint = 'leave the keyword out, or give it a value';
    return new TaskError(message, { hint, place: this.#placeOf(written) });
  }

  /** Throws TaskError on a value that is neither true nor false. */
  flag(name: string): boolean | undefined {
    const value = this.keyword(name);
    if (value === undefined) return undefined;
    const flag = asBoolean(value);
    if (flag === undefined) throw this.#wrong(name, value, 'true or false');
    return flag;
  }

  /** Throws TaskError on a value that is no number. */
  number(name: string): number | undefined {
    const value = this.keyword(name);
    if (value === undefined) return undefined;
    const number = asNumber(value);
    if (number === undefined) throw this.#wrong(name, value, 'a number');
    return number;
  }

  #wrong(name: string, value: Value, wanted: string): TaskError {
    const shown = typeof value === 'object' ? '' : `, not "${String(value)}"`;
    const written = this.inherited.nearest(name) ?? null;
    return new TaskError(`${name} is ${wanted}${shown}`, { place: this.#placeOf(written) });
  }

  /** Where a keyword is written, or the task. */
  #placeOf(written: Value): Position {
    const own = written instanceof TrustedTemplate ? written.position : undefined;
    return own ?? this.task.position;
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

/** The number that a value is or says; undefined for any other. */
export function asNumber(value: Value): number | undefined {
  const plain = value instanceof Float ? value.value : value;
  if (typeof plain === 'number' || typeof plain === 'boolean') return Number(plain);
  return typeof plain === 'string' && NUMBER.test(plain) ? Number(plain) : undefined;
}
