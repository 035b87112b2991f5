import type { MacroStatement, Statement, Target } from './ast.ts';
import { truthy } from './compare.ts';
import { type Code, BLOCK_TEXT, compileExpression } from './compile-expression.ts';
import { compileFor } from './compile-for.ts';
import { compileBlock, compileExtends, compileFrom, compileImport, compileInclude } from './compile-loading.ts';
import type { TemplateCompiler } from './compile-template.ts';
import { TemplateError } from './errors.ts';
import { Env, type Emit, type Frame } from './frame.ts';
import { Namespace } from './globals.ts';
import { iterate } from './iterate.ts';
import { type MacroCode, makeMacro } from './macro.ts';
import type { Val } from './objects.ts';
import { joinNodes } from './output.ts';

/** Compiles statements that follow each other. */
export function compileBody(statements: readonly Statement[], compiler: TemplateCompiler): Emit {
  const emits = statements.map((statement) => compileStatement(statement, compiler));
  const [only] = emits;
  if (emits.length === 1 && only !== undefined) return only;
  return (frame, out) => {
    for (const emit of emits) emit(frame, out);
  };
}

type Compiler<K extends Statement['kind']> = (
  statement: Extract<Statement, { readonly kind: K }>,
  compiler: TemplateCompiler,
) => Emit;

const COMPILERS: { readonly [K in Statement['kind']]: Compiler<K> } = {
  data: ({ text }) => (_frame, out) => {
    out.push(text);
  },
  output: ({ value, at }, compiler) => {
    const code = compileExpression(value, compiler);
    return (frame, out) => {
      frame.at = at;
      frame.runtime.step();
      out.push(code(frame));
    };
  },
  group: ({ body }, compiler) => compileBody(body, compiler),
  if: compileIf,
  for: compileFor,
  set: ({ target, value }, compiler) => {
    const code = compileExpression(value, compiler);
    return (frame) => assign(target, code(frame), frame);
  },
  'set-block': ({ target, filter, body }, compiler) => {
    const emit = compileBody(body, compiler);
    const code = filter === undefined ? undefined : compileExpression(filter, compiler);
    return (frame) => assign(target, filteredBlock(emit, code, frame), frame);
  },
  with: compileWith,
  macro: (statement, compiler) => {
    const code = compileMacro(statement, compiler);
    return (frame) => frame.env?.set(code.name, makeMacro(code, frame));
  },
  'call-block': ({ call, caller }, compiler) => {
    const code = compileMacro(caller, compiler);
    // The compiled block is handed over as the keyword argument "caller", under a name no template can use.
    const value = { kind: 'name', name: CALLER, at: call.at } as const;
    const run = compileExpression({ ...call, args: [...call.args, { name: 'caller', value }] }, compiler);
    return (frame, out) => {
      withEnv(frame, new Env(frame.env), () => {
        frame.env?.set(CALLER, makeMacro(code, frame));
        out.push(run(frame));
      });
    };
  },
  'filter-block': ({ filter, body }, compiler) => {
    const emit = compileBody(body, compiler);
    const code = compileExpression(filter, compiler);
    return (frame, out) => {
      out.push(filteredBlock(emit, code, frame));
    };
  },
  block: compileBlock,
  extends: compileExtends,
  include: compileInclude,
  import: compileImport,
  from: compileFrom,
};

const CALLER = ' caller';

function compileStatement(statement: Statement, compiler: TemplateCompiler): Emit {
  // The table has an entry of the matching type for every kind.
  const compile = COMPILERS[statement.kind] as (
    statement: Statement,
    compiler: TemplateCompiler,
  ) => Emit;
  return compile(statement, compiler);
}

/** Runs something with other names in the frame. */
export function withEnv(frame: Frame, env: Env, run: () => void): void {
  const before = frame.env;
  frame.env = env;
  try {
    run();
  } finally {
    frame.env = before;
  }
}

/** Assigns a value to a target of set, for or with. */
export function assign(target: Target, value: Val, frame: Frame): void {
  if (target.kind === 'name') {
    frame.env?.set(target.name, value);
  } else if (target.kind === 'member') {
    const namespace = frame.resolve(target.name);
    if (!(namespace instanceof Namespace)) {
      throw new TemplateError(`"${target.name}" is no namespace, so its members cannot be set`);
    }
    namespace.set(target.member, value);
  } else {
    unpack(target.items, value, frame);
  }
}

function unpack(targets: readonly Target[], value: Val, frame: Frame): void {
  const items = iterate(value, frame.runtime);
  if (items.length !== targets.length) {
    throw new TemplateError(`${items.length} values cannot be unpacked into ${targets.length} names`);
  }
  targets.forEach((target, index) => {
    assign(target, items[index] ?? null, frame);
  });
}

function compileIf(
  { branches, otherwise }: Extract<Statement, { readonly kind: 'if' }>,
  compiler: TemplateCompiler,
): Emit {
  const compiled = branches.map(({ test, body }) => ({
    test: compileExpression(test, compiler),
    emit: compileBody(body, compiler),
  }));
  const last = compileBody(otherwise, compiler);
  return (frame, out) => {
    const branch = compiled.find(({ test }) => truthy(test(frame)));
    (branch?.emit ?? last)(frame, out);
  };
}

function compileWith(
  { assignments, body }: Extract<Statement, { readonly kind: 'with' }>,
  compiler: TemplateCompiler,
): Emit {
  const codes = assignments.map(
    ([target, value]) => [target, compileExpression(value, compiler)] as const,
  );
  const emit = compileBody(body, compiler);
  return (frame, out) => {
    const values = codes.map(([target, code]) => [target, code(frame)] as const);
    withEnv(frame, new Env(frame.env), () => {
      for (const [target, value] of values) assign(target, value, frame);
      emit(frame, out);
    });
  };
}

function filteredBlock(emit: Emit, filter: Code | undefined, frame: Frame): Val {
  const out: Val[] = [];
  let result: Val = null;
  withEnv(frame, new Env(frame.env), () => {
    emit(frame, out);
    result = joinNodes(out);
    if (filter === undefined) return;
    frame.env?.set(BLOCK_TEXT, result ?? '');
    result = filter(frame);
  });
  return result;
}

function compileMacro(statement: MacroStatement, compiler: TemplateCompiler): MacroCode {
  return compiler.collectNames((uses) => ({
    name: statement.name,
    parameters: statement.parameters.map(({ name, fallback }) => ({
      name,
      fallback: fallback === undefined ? undefined : compileExpression(fallback, compiler),
    })),
    body: compileBody(statement.body, compiler),
    uses,
  }));
}
