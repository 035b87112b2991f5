import type { Expr, Statement } from './ast.ts';
import type { Code, CompileContext, StatementContext } from './compile-context.ts';
import { compileExpression, compilePath, mayHoldTemplates } from './compile-expression.ts';
import { compileStatement } from './compile-statement.ts';
import type { CompiledTemplate, Emit, Source } from './frame.ts';
import type { Callback, Runtime } from './objects.ts';
import { parseTemplate } from './parse-template.ts';
import type { Syntax } from './syntax.ts';

/** What a compiler finds names in: filters, tests, and the templates to include. */
export interface Library {
  readonly filters: ReadonlyMap<string, Callback>;
  readonly tests: ReadonlyMap<string, Callback>;
  /** The template of that name in the runtime's search path, or undefined. */
  load(name: string, runtime: Runtime, syntax: Syntax): CompiledTemplate | undefined;
}

/** What is gathered while a text is compiled. */
class Notes {
  readonly blocks = new Map<string, Emit>();
  readonly nameSets: Set<string>[] = [];
  mutates = false;
  inherits = false;
}

/** Compiles one text. Gathers its blocks and what else must be known before it runs. */
export class TemplateCompiler implements StatementContext {
  readonly rendersLiterals: boolean;
  readonly #library: Library;
  readonly #syntax: Syntax;
  readonly #notes: Notes;

  constructor(library: Library, syntax: Syntax, rendersLiterals = false, notes = new Notes()) {
    this.#library = library;
    this.#syntax = syntax;
    this.rendersLiterals = rendersLiterals;
    this.#notes = notes;
  }

  /** Throws SyntaxFault on a text that is no valid template. */
  compile(source: Source): CompiledTemplate {
    const statements = parseTemplate(source.text, this.#syntax);
    const body = this.body(statements);
    const path = this.#onlyPath(statements);
    const { blocks, mutates, inherits } = this.#notes;
    return { source, body, path, blocks, mutates, inherits };
  }

  #onlyPath([only, ...others]: readonly Statement[]): Code | undefined {
    const isOnly = only?.kind === 'output' && others.length === 0 && mayHoldTemplates(only.value);
    return isOnly ? this.path(only.value) : undefined;
  }

  get mutates(): boolean {
    return this.#notes.mutates;
  }

  expression(expr: Expr): Code {
    return compileExpression(expr, this);
  }

  path(expr: Expr): Code {
    return compilePath(expr, this);
  }

  renderingLiterals(): CompileContext {
    return new TemplateCompiler(this.#library, this.#syntax, true, this.#notes);
  }

  body(statements: readonly Statement[]): Emit {
    const emits = statements.map((statement) => compileStatement(statement, this));
    const [only] = emits;
    if (emits.length === 1 && only !== undefined) return only;
    return (frame, out) => {
      for (const emit of emits) emit(frame, out);
    };
  }

  filter(name: string): Callback | undefined {
    return this.#library.filters.get(name);
  }

  test(name: string): Callback | undefined {
    return this.#library.tests.get(name);
  }

  filterNames(): Iterable<string> {
    return this.#library.filters.keys();
  }

  testNames(): Iterable<string> {
    return this.#library.tests.keys();
  }

  noteMutation(): void {
    this.#notes.mutates = true;
  }

  noteName(name: string): void {
    for (const names of this.#notes.nameSets) names.add(name);
  }

  collectNames<T>(compile: (names: ReadonlySet<string>) => T): T {
    const names = new Set<string>();
    this.#notes.nameSets.push(names);
    try {
      return compile(names);
    } finally {
      this.#notes.nameSets.pop();
    }
  }

  noteInheritance(): void {
    this.#notes.inherits = true;
  }

  addBlock(name: string, emit: Emit): void {
    this.noteInheritance();
    this.#notes.blocks.set(name, emit);
  }

  load(name: string, runtime: Runtime): CompiledTemplate | undefined {
    return this.#library.load(name, runtime, this.#syntax);
  }
}
