import { compileBody } from './compile-statement.ts';
import type { CompileContext } from './compile-expression.ts';
import type { CompiledTemplate, Emit, Source } from './frame.ts';
import { parseTemplate } from './parse-template.ts';
import type { Callback, Runtime } from './runtime.ts';
import type { Syntax } from './syntax.ts';

/** What a compiler finds names in: filters, tests, and the templates to include. */
export interface Library {
  readonly filters: ReadonlyMap<string, Callback>;
  readonly tests: ReadonlyMap<string, Callback>;
  /** The template of that name in the runtime's search path, or undefined. */
  load(name: string, runtime: Runtime, syntax: Syntax): CompiledTemplate | undefined;
}

/** Compiles one text. Gathers its blocks and what else must be known before it runs. */
export class TemplateCompiler implements CompileContext {
  readonly #library: Library;
  readonly #syntax: Syntax;
  readonly #blocks = new Map<string, Emit>();
  readonly #nameSets: Set<string>[] = [];
  readonly rendersLiterals: boolean;
  #mutates = false;

  constructor(library: Library, syntax: Syntax, rendersLiterals = false) {
    this.#library = library;
    this.#syntax = syntax;
    this.rendersLiterals = rendersLiterals;
  }

  /** Throws SyntaxFault on a text that is no valid template. */
  compile(source: Source): CompiledTemplate {
    const body = compileBody(parseTemplate(source.text, this.#syntax), this);
    return { source, body, blocks: this.#blocks, mutates: this.#mutates };
  }

  get mutates(): boolean {
    return this.#mutates;
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
    this.#mutates = true;
  }

  noteName(name: string): void {
    for (const names of this.#nameSets) names.add(name);
  }

  /** Compiles something and tells it the names used inside. The set is complete when this returns. */
  collectNames<T>(compile: (names: ReadonlySet<string>) => T): T {
    const names = new Set<string>();
    this.#nameSets.push(names);
    try {
      return compile(names);
    } finally {
      this.#nameSets.pop();
    }
  }

  addBlock(name: string, emit: Emit): void {
    this.#blocks.set(name, emit);
  }

  load(name: string, runtime: Runtime): CompiledTemplate | undefined {
    return this.#library.load(name, runtime, this.#syntax);
  }
}
