import { isOwnText } from '../own-text.ts';
import { OMIT, type TextPosition, TrustedTemplate, type Value } from '../values.ts';
import { metered } from './budget.ts';
import { Builtin } from './builtin.ts';
import { definedParts } from './defined-parts.ts';
import { searchPathOf, TemplateEngine } from './engine.ts';
import { TemplateError } from './errors.ts';
import { fileVariables } from './file-variables.ts';
import { FILTERS } from './filters/filters.ts';
import { Frame, guarded } from './frame.ts';
import type { JinjaHost, Scope, TemplateName } from './host.ts';
import { inspect, type NamedTemplate, namedTemplates, type Remark } from './inspect.ts';
import { runLookup } from './lookup.ts';
import { LOOKUPS } from './lookups/lookups.ts';
import { type Runtime, typeName, type Val } from './objects.ts';
import { finalize, printed } from './output.ts';
import { Evaluation } from './runtime.ts';
import { PLAYBOOK_SYNTAX, type Syntax } from './syntax.ts';
import { TESTS } from './tests/tests.ts';

export { NotSpeculable, TemplateError } from './errors.ts';
export type { JinjaHost, Scope } from './host.ts';
export type { Remark } from './inspect.ts';
export type { Syntax } from './syntax.ts';

export interface JinjaOptions {
  /** Filters by name, beside those that come with Ansible. They take and give plain values. */
  readonly extraFilters?: Readonly<Record<string, (...values: Value[]) => Value>>;
  /** Whether filters and lookups of collections (ansible.utils, community.general) are known. True unless said otherwise. */
  readonly collections?: boolean;
}

/** Its path is for messages too, and its directory is searched first by include and import. */
export interface TemplateFileOptions extends TemplateName {
  /** Delimiters and whitespace rules that differ from Ansible's own. */
  readonly syntax?: Partial<Syntax>;
}

export interface ConditionResult {
  readonly result: boolean;
  /** The first condition that did not hold. */
  readonly falseCondition?: Value;
}

/**
 * Evaluates what playbooks and templates write between braces, with the rules of ansible-core 2.19: values
 * keep their types, only TrustedTemplate is ever rendered, conditions must be boolean. Evaluation is
 * synchronous. Every method throws TemplateError on a text that cannot be evaluated, and NotSpeculable where
 * the host asks for speculation and the result depends on more than variables.
 */
export class Jinja {
  readonly #engine: TemplateEngine;

  constructor({ extraFilters = {}, collections = true }: JinjaOptions = {}) {
    const extra = Object.entries(extraFilters).map(
      ([name, filter]) => [name, plainFilter(name, filter)] as const,
    );
    this.#engine = new TemplateEngine({
      filters: new Map([...FILTERS.core, ...(collections ? FILTERS.collections : []), ...extra]),
      tests: TESTS,
      lookups: new Map([...LOOKUPS.core, ...(collections ? LOOKUPS.collections : [])]),
    });
  }

  /**
   * The value with all templates rendered, at any depth but never in keys, and all secrets opened. Members
   * that are omit are left out; omit by itself is given back.
   */
  renderValue(value: Value, scope: Scope, host: JinjaHost): Value {
    if (value === null || typeof value !== 'object') return value;
    return this.#run(scope, host, undefined, (runtime) => finalize(runtime.force(value)));
  }

  /** The same without members that are undefined; undefined where the value is so itself. */
  renderDefined(value: Value, scope: Scope, host: JinjaHost): Value | undefined {
    return this.#run(scope, host, undefined, (runtime) => {
      const parts = definedParts(runtime.force(value));
      return parts === undefined ? undefined : finalize(parts);
    });
  }

  /** The value of a bare expression, as in `loop` or `debug: var`. Backslashes in literals are literal. */
  evaluate(expression: string, scope: Scope, host: JinjaHost, position?: TextPosition): Value {
    const source = { text: expression, position };
    return this.#run(scope, host, position, (runtime) =>
      finalize(this.#engine.evaluate(source, runtime, 'playbook')),
    );
  }

  /** Whether a `when`-like condition holds: a boolean, an expression, or a list of these, all of which must. */
  condition(condition: Value, scope: Scope, host: JinjaHost): ConditionResult {
    if (condition === null) return { result: true };
    const parts: readonly Value[] = Array.isArray(condition) ? condition : [condition];
    return this.#run(scope, host, undefined, (runtime) => {
      for (const part of parts) {
        if (!this.#holds(part, runtime)) return { result: false, falseCondition: part };
      }
      return { result: true };
    });
  }

  #holds(part: Value, runtime: Runtime): boolean {
    if (typeof part === 'boolean') return part;
    const value = this.#conditionValue(part, runtime);
    if (typeof value === 'boolean') return value;
    const isReference = part instanceof TrustedTemplate && REFERENCE.test(part.text);
    if (isReference && typeof value === 'string' && isOwnText(value))
      return this.#holds(value, runtime);
    const position = part instanceof TrustedTemplate ? part.position : undefined;
    throw new TemplateError(
      `condition ${shown(part)} gives a value of type '${typeName(value)}', not a boolean (compare it, or use the bool filter)`,
      { position },
    );
  }

  #conditionValue(part: Value, runtime: Runtime): Val {
    if (part instanceof TrustedTemplate) {
      const { position } = part;
      const value = isWhole(part)
        ? this.#engine.render({ text: part.text.trim(), position }, PLAYBOOK_SYNTAX, runtime)
        : this.#engine.evaluate(part, runtime, 'condition');
      return finalize(value);
    }
    if (typeof part !== 'string') return part;
    if (!isOwnText(part)) {
      throw new TemplateError(`the condition ${shown(part)} comes from data, not from your files`);
    }
    return finalize(
      this.#engine.evaluate({ text: part, position: undefined }, runtime, 'condition'),
    );
  }

  /** The items that a lookup gives for the terms of a `with_NAME` loop. */
  lookup(name: string, terms: readonly Value[], scope: Scope, host: JinjaHost): readonly Value[] {
    return this.#run(scope, host, undefined, (runtime) => {
      const items = finalize(runLookup(runtime, [name, ...terms], new Map(), true));
      return Array.isArray(items) ? items : [items];
    });
  }

  /** The text of a template file, as the template module writes it. `#jinja2:` headers are obeyed. */
  renderTemplateFile(
    text: string,
    options: TemplateFileOptions,
    scope: Scope,
    host: JinjaHost,
  ): string {
    const { syntax = {}, ...template } = options;
    const searchPath = searchPathOf(template.file, host.searchPath);
    return this.#run(scope, { ...host, searchPath }, undefined, (runtime) => {
      const request = { ...template, text, syntax, variables: new Map() };
      const value = this.#engine.renderFile(request, runtime);
      return value === null ? '' : printed(requirePresent(finalize(value)));
    });
  }

  /** The variables that a template file alone has, for templates in another language. */
  fileVariables(template: TemplateName, scope: Scope, host: JinjaHost): Map<string, Value> {
    return this.#run(scope, host, undefined, (runtime) => {
      const own = fileVariables(template, runtime);
      return new Map([...own].map(([name, value]) => [name, finalize(value)]));
    });
  }

  /** What there is to say of a value of a playbook before anybody evaluates it. */
  inspectValue({ text, position }: TrustedTemplate): Remark[] {
    return inspect(this.#engine, { text, position }, 'value');
  }

  /** What there is to say of a condition. */
  inspectCondition(condition: TrustedTemplate): Remark[] {
    const { text, position } = condition;
    return inspect(this.#engine, { text, position }, isWhole(condition) ? 'value' : 'expression');
  }

  /** What there is to say of the text of a template file. */
  inspectTemplateFile(text: string, file: string): Remark[] {
    return inspect(this.#engine, { text, position: { file, line: 1, column: 1 } }, 'file');
  }

  /** Templates that the text of a template file names to bring them in. */
  templatesNamed(text: string, file: string): readonly NamedTemplate[] {
    return namedTemplates({ text, position: { file, line: 1, column: 1 } });
  }

  #run<T>(
    scope: Scope,
    host: JinjaHost,
    position: TextPosition | undefined,
    run: (runtime: Runtime) => T,
  ): T {
    const runtime = new Evaluation(this.#engine, scope, host);
    return metered(() => guarded(new Frame(runtime, { text: '', position }), () => run(runtime)));
  }
}

/** Text that the user has written may reach a condition through a variable or a loop item. */
const REFERENCE = /^\s*\{\{-?\s*[A-Za-z_][\s\S]*\}\}\s*$/;

/** Whether a template is nothing but braces, so that its value keeps its type. */
function isWhole({ text }: TrustedTemplate): boolean {
  return /^\s*\{[{%][\s\S]*[}%]\}\s*$/.test(text);
}

function requirePresent(value: Value): Value {
  if (value === OMIT) throw new TemplateError('a template file cannot be omitted');
  return value;
}

function shown(condition: Value): string {
  if (condition instanceof TrustedTemplate) return JSON.stringify(condition.text);
  return typeof condition === 'string'
    ? JSON.stringify(condition)
    : `of type '${typeName(condition)}'`;
}

function plainFilter(name: string, filter: (...values: Value[]) => Value): Builtin {
  return new Builtin(name, '*values', (_runtime, values) => {
    const plain = finalize(values);
    return filter(...(Array.isArray(plain) ? plain : [plain]));
  });
}
