import { TrustedTemplate, VaultText } from '../values.ts';
import { charge, limitError } from './budget.ts';
import { NotSpeculable, TemplateError } from './errors.ts';
import type { JinjaHost, Scope } from './host.ts';
import {
  type Engine,
  isList,
  isMap,
  type Runtime,
  Undefined,
  type Val,
  type ValMap,
} from './objects.ts';
import { isPlainMap } from './plain-map.ts';
import { Rendering } from './rendering.ts';
import { noteUnique } from './slow-work.ts';

/** Nested templates, macros and includes deeper than this end in an error, not in a full stack. */
const MAX_DEPTH = 120;
/** Levels of lists and dicts in one value. */
const MAX_NESTING = 400;
/** Iterations and calls of one evaluation: some seconds of work. */
const MAX_STEPS = 10_000_000;
/** Characters that one operation may make. */
const MAX_SIZE = 50_000_000;
/** Items that one list may have. */
const MAX_ITEMS = 2_000_000;
/** What an iteration or call counts as work, in characters. */
const STEP_WORK = 100;

// Containers known to hold no template at any depth. Values are immutable by convention, so this stays true.
const templateFree = new WeakSet<object>();

/** Whether a list or dict is a variable's own data, not made by an expression. */
export function isVariableData(container: object): boolean {
  return templateFree.has(container);
}

/** One evaluation: where variables come from, what has been rendered so far, and how much is left of the limits. */
export class Evaluation implements Runtime {
  readonly engine: Engine;
  readonly scope: Scope<Val>;
  readonly host: JinjaHost;
  #copying = false;
  #steps = 0;
  #depth = 0;
  #variables: Map<string, Val> | undefined;
  #forced: WeakMap<object, Val> | undefined;
  #lazy: WeakMap<TrustedTemplate, Val> | undefined;
  #rendering: Rendering | undefined;
  #copies: Map<Val, Val> | undefined;

  constructor(engine: Engine, scope: Scope<Val>, host: JinjaHost) {
    this.engine = engine;
    this.scope = scope;
    this.host = host;
  }

  /** The same evaluation with stronger variables on top. */
  over(variables: ReadonlyMap<string, Val>): Evaluation {
    const { scope } = this;
    const names = () => new Set([...variables.keys(), ...scope.names()]);
    const get = (name: string) => (variables.has(name) ? variables.get(name) : scope.get(name));
    const inner = new Evaluation(this.engine, { get, names }, this.host);
    if (this.#copying) inner.copyVariables();
    this.#rendering ??= new Rendering();
    this.#copies ??= new Map();
    inner.#rendering = this.#rendering;
    inner.#copies = this.#copies;
    inner.#steps = this.#steps;
    inner.#depth = this.#depth;
    return inner;
  }

  /** Counts work. Throws TemplateError where an evaluation does not come to an end. */
  step(count = 1): void {
    this.#steps += count;
    charge(count * STEP_WORK);
    if (this.#steps > MAX_STEPS) throw limitError('the template runs without end');
  }

  checkSize(size: number): void {
    if (size > MAX_SIZE) throw limitError(`the result is too large (${size} characters)`);
    charge(Math.max(0, size));
  }

  checkItems(count: number): void {
    this.step(Math.max(0, count));
    if (count > MAX_ITEMS) throw limitError(`the list is too large (${count} items)`);
  }

  /** The search path as messages show it. */
  searchText(): string {
    return this.host.searchPath.join(', ') || 'an empty search path';
  }

  /** Runs something one level deeper. Throws TemplateError where that has no end. */
  deeper<T>(what: string, run: () => T): T {
    if (this.#depth >= MAX_DEPTH) throw limitError(`${what} is nested too deeply`);
    this.#depth += 1;
    try {
      return run();
    } finally {
      this.#depth -= 1;
    }
  }

  /** Refuses, in speculative evaluation, what depends on more than variables. */
  requireImpure(what: string, isRepeatable = false): void {
    if (this.host.speculative) throw new NotSpeculable(what);
    if (!isRepeatable) noteUnique();
  }

  /** From now on variables are copied, because the template changes lists or dicts in place. */
  copyVariables(): void {
    if (this.#copying) return;
    this.#copying = true;
    this.#variables = undefined;
  }

  /** A variable or global. Text is rendered; a list or dict may still hold templates (see `force`). */
  resolve(name: string): Val {
    const known = this.#variables?.get(name);
    if (known !== undefined) return known;
    const variable = this.scope.get(name);
    const value = variable === undefined ? this.engine.global(name, this) : variable;
    if (value === undefined) return this.#undefinedVariable(name);
    if (value === null || typeof value !== 'object') return value;
    const rendered = this.#copying ? this.#copyOf(this.force(value)) : this.lazy(value);
    this.#variables ??= new Map();
    this.#variables.set(name, rendered);
    return rendered;
  }

  /** A global of the language, never a variable of the playbook. */
  resolveGlobal(name: string): Val {
    return this.engine.global(name, this) ?? this.#undefinedVariable(name);
  }

  #undefinedVariable(variable: string): Undefined {
    const candidates = () => this.scope.names();
    return new Undefined(`'${variable}' is undefined`, { variable, candidates });
  }

  /** A value as it is used: a template rendered, a secret opened; the inside of containers untouched. */
  lazy(value: Val): Val {
    if (value instanceof TrustedTemplate) return this.#render(value);
    return value instanceof VaultText ? value.plain() : value;
  }

  /** The value with every template inside rendered. A template that fails becomes an undefined member. */
  force(value: Val): Val {
    if (value === null || typeof value !== 'object') return value;
    return this.#forceObject(value, 0);
  }

  #forceObject(value: object & Val, nesting: number): Val {
    if (isList(value) || isMap(value)) return this.#forceContainer(value, nesting);
    if (!(value instanceof TrustedTemplate)) return this.lazy(value);
    const known = this.#forced?.get(value);
    if (known !== undefined) return known;
    const forced = this.#rendered(value, (rendered) =>
      isList(rendered) || isMap(rendered) ? this.#forceContainer(rendered, nesting) : rendered,
    );
    this.#rememberForced(value, forced);
    return forced;
  }

  #forceContainer(container: readonly Val[] | ValMap, nesting: number): Val {
    if (templateFree.has(container)) return container;
    // A subclass of Map (hostvars) makes its members itself, on demand and rendered.
    if (isMap(container) && !isPlainMap(container)) return container;
    const known = this.#forced?.get(container);
    if (known !== undefined) return known;
    if (nesting > MAX_NESTING) throw new TemplateError('the value is nested too deeply');
    const forced = isList(container)
      ? this.#forceList(container, nesting)
      : this.#forceMap(container, nesting);
    if (forced === container) templateFree.add(container);
    else this.#rememberForced(container, forced);
    return forced;
  }

  #rememberForced(container: object, forced: Val): void {
    this.#forced ??= new WeakMap();
    this.#forced.set(container, forced);
  }

  #forceList(list: readonly Val[], nesting: number): readonly Val[] {
    let copy: Val[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const item = list[i] ?? null;
      const forced = this.#forceMember(item, nesting);
      if (forced !== item) copy ??= list.slice(0, i);
      copy?.push(forced);
    }
    return copy ?? list;
  }

  #forceMap(map: ValMap, nesting: number): ValMap {
    let copy: Map<Val, Val> | undefined;
    for (const [key, member] of map) {
      const forced = this.#forceMember(member, nesting);
      if (forced === member) continue;
      copy ??= new Map(map);
      copy.set(key, forced);
    }
    return copy ?? map;
  }

  #forceMember(member: Val, nesting: number): Val {
    if (member === null || typeof member !== 'object') return member;
    return this.#forceObject(member, nesting + 1);
  }

  /** A copy at every depth. What stands in several places stands there as one copy. */
  #copyOf(value: Val): Val {
    if (!isList(value) && !(isMap(value) && isPlainMap(value))) return value;
    this.#copies ??= new Map();
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    this.step(isList(value) ? value.length : value.size);
    const copy = isList(value)
      ? value.map((item) => this.#copyOf(item))
      : new Map([...value].map(([key, member]) => [key, this.#copyOf(member)]));
    this.#copies.set(value, copy).set(copy, copy);
    return copy;
  }

  #render(template: TrustedTemplate): Val {
    const known = this.#forced?.get(template) ?? this.#lazy?.get(template);
    if (known !== undefined) return known;
    const value = this.#rendered(template, (rendered) => rendered);
    this.#lazy ??= new WeakMap();
    this.#lazy.set(template, value);
    return value;
  }

  /** What a template gives, and what becomes of it while the template may not be rendered again. */
  #rendered(template: TrustedTemplate, finish: (value: Val) => Val): Val {
    this.#rendering ??= new Rendering();
    return this.#rendering.run(template, () =>
      this.deeper('a template', () => finish(this.engine.renderText(template, this))),
    );
  }
}
