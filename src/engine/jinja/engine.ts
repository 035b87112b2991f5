import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TextPosition, TrustedTemplate } from '../values.ts';
import { getAttribute, getItem } from './access.ts';
import { BoundedCache } from './bounded-cache.ts';
import type { Code } from './compile-context.ts';
import { runTemplate } from './compile-loading.ts';
import { type Library, TemplateCompiler } from './compile-template.ts';
import { SyntaxFault, TemplateError } from './errors.ts';
import { fileVariables } from './file-variables.ts';
import {
  type CompiledTemplate,
  Env,
  Frame,
  guarded,
  located,
  placed,
  type Source,
} from './frame.ts';
import { GLOBALS } from './globals.ts';
import { withNewlines } from './newlines.ts';
import {
  type Callback,
  type Engine,
  Failed,
  type FileRequest,
  type Runtime,
  Undefined,
  type Val,
} from './objects.ts';
import { joinNodes } from './output.ts';
import { parseExpression } from './parse-template.ts';
import { ScopeDict } from './scope-dict.ts';
import { candidates, isFile } from './search.ts';
import { FILE_SYNTAX, PLAYBOOK_SYNTAX, type Syntax } from './syntax.ts';
import { parseHeader } from './template-header.ts';

/** How many compiled texts are kept, per kind of text. */
const CACHE_SIZE = 5000;

export interface CompiledExpression {
  readonly code: Code;
  readonly mutates: boolean;
}

export type CallbackTable = ReadonlyMap<string, Callback>;

export interface CallbackTables {
  readonly filters: CallbackTable;
  readonly tests: CallbackTable;
  readonly lookups: CallbackTable;
}

/** How an expression's text is read. */
export type Escapes = 'playbook' | 'condition';

interface Surroundings {
  readonly env?: Env;
  /** What stands for the last newlines of the template. */
  readonly lineEnd?: string;
}

/** Compiles texts, keeps what it has compiled, and runs it. */
export class TemplateEngine implements Engine, Library {
  readonly filters: CallbackTable;
  readonly tests: CallbackTable;
  readonly #lookups: CallbackTable;
  readonly #templates = new Map<string, BoundedCache<string, CompiledTemplate>>();
  readonly #templatesBySyntax = new WeakMap<Syntax, BoundedCache<string, CompiledTemplate>>();
  readonly #expressions = {
    playbook: new BoundedCache<string, CompiledExpression>(CACHE_SIZE),
    condition: new BoundedCache<string, CompiledExpression>(CACHE_SIZE),
  };

  constructor({ filters, tests, lookups }: CallbackTables) {
    this.filters = filters;
    this.tests = tests;
    this.#lookups = lookups;
  }

  attribute(object: Val, name: string, runtime: Runtime): Val {
    return getAttribute(object, name, runtime);
  }

  item(object: Val, key: Val, runtime: Runtime): Val {
    return getItem(object, key, runtime);
  }

  global(name: string, runtime: Runtime): Val | undefined {
    if (name === 'vars') return new ScopeDict(runtime);
    return GLOBALS.get(name);
  }

  filter(name: string): Callback | undefined {
    return this.filters.get(name);
  }

  test(name: string): Callback | undefined {
    return this.tests.get(name);
  }

  lookup(name: string): Callback | undefined {
    return this.#lookups.get(name);
  }

  lookupNames(): Iterable<string> {
    return this.#lookups.keys();
  }

  /** The compiled expression. Throws TemplateError where the text is none. */
  expression(
    text: string,
    escapes: Escapes,
    position: TextPosition | undefined,
  ): CompiledExpression {
    const cache = this.#expressions[escapes];
    const known = cache.get(text);
    if (known !== undefined) return known;
    const literalBackslashes = escapes === 'playbook';
    const syntax = { ...PLAYBOOK_SYNTAX, literalBackslashes };
    const compiler = new TemplateCompiler(this, syntax, escapes === 'condition');
    try {
      const expr = parseExpression(text, literalBackslashes);
      const code = compiler.expression(expr);
      const compiled = { code, mutates: compiler.mutates };
      cache.set(text, compiled);
      return compiled;
    } catch (error) {
      throw located(withoutBraces(error, text, escapes), { text, position }, 0);
    }
  }

  template(source: Source, syntax: Syntax): CompiledTemplate {
    const cache = this.#cacheFor(syntax);
    const known = cache.get(source.text);
    if (known !== undefined) return { ...known, source };
    try {
      const compiled = new TemplateCompiler(this, syntax).compile(source);
      cache.set(source.text, compiled);
      return compiled;
    } catch (error) {
      throw located(error, source, 0);
    }
  }

  #cacheFor(syntax: Syntax): BoundedCache<string, CompiledTemplate> {
    const known = this.#templatesBySyntax.get(syntax);
    if (known !== undefined) return known;
    const key = JSON.stringify(syntax);
    const cache =
      this.#templates.get(key) ?? new BoundedCache<string, CompiledTemplate>(CACHE_SIZE);
    this.#templates.set(key, cache);
    this.#templatesBySyntax.set(syntax, cache);
    return cache;
  }

  /** The value of an expression, which may be undefined. */
  evaluate(source: Source, runtime: Runtime, escapes: Escapes): Val {
    const { code, mutates } = this.expression(source.text, escapes, source.position);
    if (mutates) runtime.copyVariables();
    const frame = new Frame(runtime, source);
    return guarded(frame, () => placed(code(frame), frame));
  }

  /** The value of a template, which may be undefined. */
  render(
    source: Source,
    syntax: Syntax,
    runtime: Runtime,
    { env = new Env(), lineEnd = '\n' }: Surroundings = {},
  ): Val {
    const template = this.template(source, syntax);
    const out: Val[] = [];
    const frame = new Frame(runtime, source, env);
    return guarded(frame, () => {
      runTemplate(template, frame, out);
      return placed(withNewlines(joinNodes(out), source.text, lineEnd), frame);
    });
  }

  renderText(template: TrustedTemplate, runtime: Runtime): Val {
    try {
      return this.#renderLazy(template, runtime);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      if (!error.isUndefined) return new Failed(error);
      const { variable } = error;
      return new Undefined(error.message, { variable, failure: error });
    }
  }

  /** A list or dict that a template names is left as it is, so that nothing is rendered that nobody reads. */
  #renderLazy(source: TrustedTemplate, runtime: Runtime): Val {
    const { path } = this.template(source, PLAYBOOK_SYNTAX);
    if (path === undefined) return this.render(source, PLAYBOOK_SYNTAX, runtime);
    runtime.step();
    const frame = new Frame(runtime, source, new Env());
    return guarded(frame, () => placed(withNewlines(path(frame), source.text, '\n'), frame));
  }

  renderFile(request: FileRequest, runtime: Runtime): Val {
    const { file, text, syntax, variables } = request;
    const { body, lines, overrides } = parseHeader(text, file);
    const position = { file, line: 1 + lines, column: 1 };
    const rules = { ...FILE_SYNTAX, ...syntax, ...overrides };
    if (!mayHoldTags(body, rules)) return body;
    const inner = runtime.over(new Map([...fileVariables(request, runtime), ...variables]));
    const lineEnd = syntax.newlineSequence ?? '\n';
    return this.render({ text: body, position }, rules, inner, { env: new Env(), lineEnd });
  }

  load(name: string, runtime: Runtime, syntax: Syntax): CompiledTemplate | undefined {
    if (name.split('/').includes('..'))
      throw new TemplateError(`template "${name}" leaves the search path`);
    const path = candidates(runtime, name, 'templates').find(isFile);
    if (path === undefined) return undefined;
    const position = { file: path, line: 1, column: 1 };
    return this.template({ text: readFileSync(path, 'utf8'), position }, syntax);
  }
}

/** A condition is an expression already: who writes braces into it means the value of a variable. */
function withoutBraces(error: unknown, text: string, escapes: Escapes): unknown {
  const braces = /\{\{(.*?)\}\}/.exec(text);
  if (escapes !== 'condition' || braces === null || !(error instanceof SyntaxFault)) return error;
  const cure = text.replaceAll(/\{\{\s*(.*?)\s*\}\}/g, '$1').trim();
  return new SyntaxFault(`a condition takes no braces (write: ${cure})`, braces.index);
}

/** A file without tags is copied as it is, line ends and all. */
function mayHoldTags(text: string, syntax: Syntax): boolean {
  const { blockStart, variableStart, commentStart, lineStatementPrefix, lineCommentPrefix } =
    syntax;
  const marks = [blockStart, variableStart, commentStart, lineStatementPrefix, lineCommentPrefix];
  return marks.some((mark) => mark !== undefined && text.includes(mark));
}

/** The search path of a template file: its own directory comes first. */
export function searchPathOf(file: string, searchPath: readonly string[]): readonly string[] {
  return [dirname(file), ...searchPath];
}
