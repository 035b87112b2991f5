import type { Expr, Statement } from './ast.ts';
import type { CompiledTemplate, Emit, Frame } from './frame.ts';
import type { Callback, Runtime, Val } from './objects.ts';

/** A compiled expression. */
export type Code = (frame: Frame) => Val;

/** What compiling an expression needs to know and to note. */
export interface CompileContext {
  /** Compiles an expression to a closure. Its value has no template left at any depth. */
  expression(expr: Expr): Code;
  /** Compiles an expression whose value may hold templates, as on the way to a member. */
  path(expr: Expr): Code;
  /** The same context, but with string literals rendered. */
  renderingLiterals(): CompileContext;
  filter(name: string): Callback | undefined;
  test(name: string): Callback | undefined;
  filterNames(): Iterable<string>;
  testNames(): Iterable<string>;
  /** Whether string literals that hold templates are rendered, as Ansible does in conditions. */
  readonly rendersLiterals: boolean;
  /** Notes that the text calls a method that changes a list or dict in place. */
  noteMutation(): void;
  /** Notes the use of a name, so that a macro knows whether it takes surplus arguments. */
  noteName(name: string): void;
}

/** What compiling statements needs besides. */
export interface StatementContext extends CompileContext {
  /** Compiles statements that follow each other. */
  body(statements: readonly Statement[]): Emit;
  addBlock(name: string, emit: Emit): void;
  /** Notes that the text extends another template. */
  noteInheritance(): void;
  /** Compiles something and tells it the names used inside. The set is complete when this returns. */
  collectNames<T>(compile: (names: ReadonlySet<string>) => T): T;
  /** The template of that name in the search path, or undefined. */
  load(name: string, runtime: Runtime): CompiledTemplate | undefined;
}
