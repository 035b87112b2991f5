import type { Statement } from './ast.ts';
import type { StatementContext } from './compile-context.ts';
import { TemplateError } from './errors.ts';
import { BlockTable, type CompiledTemplate, type Emit, Env, type Frame, guarded } from './frame.ts';
import { isList, PyFunction, PyObject, Undefined, type Val } from './objects.ts';
import { joinNodes } from './output.ts';
import { requireText, textOf } from './text.ts';

/** Runs a template's body and then those of the templates it extends. */
export function runTemplate(template: CompiledTemplate, frame: Frame, out: Val[]): void {
  if (template.mutates) frame.runtime.copyVariables();
  if (!template.inherits) {
    guarded(frame, () => template.body(frame, out));
    return;
  }
  const blocks = new BlockTable();
  const start = out.length;
  frame.blocks = blocks;
  blocks.add(template);
  frame.env?.set('self', new SelfReference({ name: '', frame, scope: rootEnv(frame.env) }));
  guarded(frame, () => template.body(frame, out));
  for (let parent = blocks.parent; parent !== undefined; parent = blocks.parent) {
    out.length = start;
    runParent(parent, frame, out);
  }
}

function runParent(parent: CompiledTemplate, child: Frame, out: Val[]): void {
  const { blocks } = child;
  if (blocks === undefined) return;
  blocks.parent = undefined;
  blocks.add(parent);
  const frame = child.within(child.env ?? new Env(), parent.source);
  guarded(frame, () => parent.body(frame, out));
}

type Of<K extends Statement['kind']> = Extract<Statement, { readonly kind: K }>;

/** Compiles a block, which prints the body of the most derived template. */
export function compileBlock(
  { name, scoped, required, body }: Of<'block'>,
  compiler: StatementContext,
): Emit {
  compiler.addBlock(name, compiler.body(body));
  return (frame, out) => {
    if (frame.blocks?.parent !== undefined) return;
    const bodies = frame.blocks?.bodies.get(name) ?? [];
    if (required && bodies.length === 1) throw new TemplateError(`block "${name}" is required`);
    emitBlock({ name, frame, scope: scoped ? frame.env : rootEnv(frame.env) }, 0, out);
  };
}

interface BlockUse {
  readonly name: string;
  readonly frame: Frame;
  readonly scope: Env | undefined;
}

function emitBlock(use: BlockUse, level: number, out: Val[]): void {
  const body = use.frame.blocks?.bodies.get(use.name)?.[level];
  if (body === undefined) throw new TemplateError(`there is no parent block called "${use.name}"`);
  const env = new Env(use.scope);
  env.set('super', new PyFunction('super', () => blockText(use, level + 1)));
  env.set('self', new SelfReference(use));
  const inner = use.frame.within(env, body.source);
  use.frame.runtime.deeper(`block "${use.name}"`, () =>
    guarded(inner, () => body.emit(inner, out)),
  );
}

function blockText(use: BlockUse, level: number): Val {
  const out: Val[] = [];
  emitBlock(use, level, out);
  return joinNodes(out);
}

/** `self`: prints a block of the template by its name. */
class SelfReference extends PyObject {
  readonly typeName = 'TemplateReference';
  readonly #use: BlockUse;

  constructor(use: BlockUse) {
    super();
    this.#use = use;
  }

  override attribute(name: string): Val | undefined {
    if (!this.#use.frame.blocks?.bodies.has(name)) return undefined;
    return new PyFunction(name, () => blockText({ ...this.#use, name }, 0));
  }
}

function rootEnv(env: Env | undefined): Env | undefined {
  let root = env;
  while (root?.parent !== undefined) root = root.parent;
  return root;
}

/** Compiles `extends`: what the template prints is replaced by its parent. */
export function compileExtends({ template }: Of<'extends'>, compiler: StatementContext): Emit {
  const name = compiler.expression(template);
  compiler.noteInheritance();
  return (frame) => {
    if (frame.blocks?.parent !== undefined) throw new TemplateError('a template extends only once');
    const parent = load([requireText(name(frame), 'the name of a template')], frame, compiler);
    if (frame.blocks !== undefined) frame.blocks.parent = parent;
  };
}

/** Compiles `include`. */
export function compileInclude(statement: Of<'include'>, compiler: StatementContext): Emit {
  const name = compiler.expression(statement.template);
  return (frame, out) => {
    const wanted = name(frame);
    frame.at = statement.at;
    const names = isList(wanted) ? wanted : [wanted];
    const texts = names.map((item) => requireText(item, 'the name of a template'));
    const template = statement.ignoreMissing
      ? find(texts, frame, compiler)
      : load(texts, frame, compiler);
    if (template === undefined) return;
    const inner = frame.within(
      new Env(statement.withContext ? frame.env : undefined),
      template.source,
    );
    inner.isolated = frame.isolated || !statement.withContext;
    frame.runtime.deeper('an include', () => runTemplate(template, inner, out));
  };
}

function find(
  names: readonly string[],
  frame: Frame,
  compiler: StatementContext,
): CompiledTemplate | undefined {
  for (const name of names) {
    const template = compiler.load(name, frame.runtime);
    if (template !== undefined) return template;
  }
  return undefined;
}

function load(
  names: readonly string[],
  frame: Frame,
  compiler: StatementContext,
): CompiledTemplate {
  const template = find(names, frame, compiler);
  if (template !== undefined) return template;
  throw new TemplateError(
    `template "${names.join('", "')}" is not found in ${frame.runtime.searchText()}`,
  );
}

/** The names that an imported template sets. */
class Module extends PyObject {
  readonly typeName = 'TemplateModule';
  readonly #env: Env;
  readonly #out: readonly Val[];

  constructor(env: Env, out: readonly Val[]) {
    super();
    this.#env = env;
    this.#out = out;
  }

  override attribute(name: string): Val | undefined {
    return name.startsWith('_') ? undefined : this.#env.names.get(name);
  }

  override text(): string {
    const printed = joinNodes(this.#out);
    return printed instanceof Undefined ? printed.fail() : textOf(printed ?? '');
  }
}

function importModule(
  { template, withContext, at }: Of<'import'> | Of<'from'>,
  compiler: StatementContext,
): (frame: Frame) => Module {
  const name = compiler.expression(template);
  return (frame) => {
    const wanted = requireText(name(frame), 'the name of a template');
    frame.at = at;
    const loaded = load([wanted], frame, compiler);
    const env = new Env(withContext ? frame.env : undefined);
    const inner = frame.within(env, loaded.source);
    inner.isolated = frame.isolated || !withContext;
    const out: Val[] = [];
    frame.runtime.deeper('an import', () => runTemplate(loaded, inner, out));
    return new Module(env, out);
  };
}

/** Compiles `import ... as`. */
export function compileImport(statement: Of<'import'>, compiler: StatementContext): Emit {
  const run = importModule(statement, compiler);
  return (frame) => frame.env?.set(statement.alias, run(frame));
}

/** Compiles `from ... import`. */
export function compileFrom(statement: Of<'from'>, compiler: StatementContext): Emit {
  const run = importModule(statement, compiler);
  return (frame) => {
    const module = run(frame);
    for (const { name, alias } of statement.names) {
      const missing = new Undefined(`the template does not export '${name}'`);
      frame.env?.set(alias, module.attribute(name) ?? missing);
    }
  };
}
