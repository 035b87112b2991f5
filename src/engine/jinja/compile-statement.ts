import { assign, withEnv } from './assignment.ts';
import type { MacroStatement, Statement } from './ast.ts';
import { truthy } from './compare.ts';
import type { Code, StatementContext } from './compile-context.ts';
import { BLOCK_TEXT } from './compile-expression.ts';
import { compileFor } from './compile-for.ts';
import {
  compileBlock,
  compileExtends,
  compileFrom,
  compileImport,
  compileInclude,
} from './compile-loading.ts';
import { type Emit, Env, type Frame, placed } from './frame.ts';
import { type MacroCode, makeMacro } from './macro.ts';
import type { Val } from './objects.ts';
import { joinNodes } from './output.ts';

type Compiler<K extends Statement['kind']> = (
  statement: Extract<Statement, { readonly kind: K }>,
  compiler: StatementContext,
) => Emit;

const COMPILERS: { readonly [K in Statement['kind']]: Compiler<K> } = {
  data:
    ({ text }) =>
    (frame, out) => {
      frame.runtime.step();
      out.push(text);
    },
  output: ({ value, at }, compiler) => {
    const code = compiler.expression(value);
    return (frame, out) => {
      frame.at = at;
      frame.runtime.step();
      out.push(placed(code(frame), frame));
    };
  },
  group: ({ body }, compiler) => compiler.body(body),
  if: compileIf,
  for: compileFor,
  set: ({ target, value }, compiler) => {
    const code = compiler.expression(value);
    return (frame) => assign(target, code(frame), frame);
  },
  'set-block': ({ target, filter, body }, compiler) => {
    const emit = compiler.body(body);
    const code = filter === undefined ? undefined : compiler.expression(filter);
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
    const run = compiler.expression({ ...call, args: [...call.args, { name: 'caller', value }] });
    return (frame, out) => {
      withEnv(frame, new Env(frame.env), () => {
        frame.env?.set(CALLER, makeMacro(code, frame));
        out.push(run(frame));
      });
    };
  },
  'filter-block': ({ filter, body }, compiler) => {
    const emit = compiler.body(body);
    const code = compiler.expression(filter);
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

/** Compiles one statement to a closure. */
export function compileStatement(statement: Statement, compiler: StatementContext): Emit {
  // The table has an entry of the matching type for every kind.
  const compile = COMPILERS[statement.kind] as (
    statement: Statement,
    compiler: StatementContext,
  ) => Emit;
  return compile(statement, compiler);
}

function compileIf(
  { branches, otherwise }: Extract<Statement, { readonly kind: 'if' }>,
  compiler: StatementContext,
): Emit {
  const compiled = branches.map(({ test, body }) => ({
    test: compiler.expression(test),
    emit: compiler.body(body),
  }));
  const last = compiler.body(otherwise);
  return (frame, out) => {
    const branch = compiled.find(({ test }) => truthy(test(frame)));
    (branch?.emit ?? last)(frame, out);
  };
}

function compileWith(
  { assignments, body }: Extract<Statement, { readonly kind: 'with' }>,
  compiler: StatementContext,
): Emit {
  const codes = assignments.map(([target, value]) => [target, compiler.expression(value)] as const);
  const emit = compiler.body(body);
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

function compileMacro(statement: MacroStatement, compiler: StatementContext): MacroCode {
  return compiler.collectNames((uses) => ({
    name: statement.name,
    parameters: statement.parameters.map(({ name, fallback }) => ({
      name,
      fallback: fallback === undefined ? undefined : compiler.expression(fallback),
    })),
    body: compiler.body(statement.body),
    uses,
  }));
}
