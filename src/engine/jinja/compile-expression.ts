import { didYouMean } from '../../shared/errors.ts';
import { hasTemplate, TrustedTemplate, VaultText } from '../values.ts';
import { getAttribute, getItem, getSlice } from './access.ts';
import type { AttrExpr, Expr, FilterExpr, TestExpr } from './ast.ts';
import { storeMember, truthy } from './compare.ts';
import { compileArguments, compileCall } from './compile-call.ts';
import { compileComparison } from './compile-comparison.ts';
import type { Code, CompileContext } from './compile-context.ts';
import { TemplateError } from './errors.ts';
import { type Frame, placed } from './frame.ts';
import { EmptyUndefined, Tuple, type Val } from './objects.ts';
import { concatenate, negate, operate } from './operators.ts';

type Compiler<K extends Expr['kind']> = (
  expr: Extract<Expr, { readonly kind: K }>,
  context: CompileContext,
) => Code;

/** Compiles an expression to a closure. Its value has no template left at any depth. */
export function compileExpression(expr: Expr, context: CompileContext): Code {
  const code = compilePath(expr, context);
  return mayHoldTemplates(expr) ? (frame) => frame.runtime.force(code(frame)) : code;
}

/** Whether the value of an expression may be a variable's container, with templates inside. */
export function mayHoldTemplates({ kind }: Expr): boolean {
  return kind === 'name' || kind === 'attr' || kind === 'item';
}

/** Compiles an expression whose value may be a container with templates inside, as on the way to a member. */
export function compilePath(expr: Expr, context: CompileContext): Code {
  // The table has an entry of the matching type for every kind.
  const compile = COMPILERS[expr.kind] as (expr: Expr, context: CompileContext) => Code;
  return compile(expr, context);
}

const COMPILERS: { readonly [K in Expr['kind']]: Compiler<K> } = {
  const: ({ value }, context) =>
    context.rendersLiterals && typeof value === 'string' ? compileLiteral(value) : constant(value),
  name: ({ name, at }, context) => {
    context.noteName(name);
    return compileName(name, at);
  },
  list: ({ items }, context) => compileList(items, context),
  tuple: ({ items }, context) => {
    const list = compileItems(items, context);
    return (frame) => Tuple.fromItems(list(frame));
  },
  concat: ({ items, at }, context) => {
    const list = compileItems(items, context);
    return (frame) => {
      const values = list(frame);
      frame.at = at;
      return concatenate(values, frame.runtime);
    };
  },
  dict: ({ members }, context) => compileDict(members, context),
  not: ({ operand }, context) => {
    const code = compileExpression(operand, context);
    return (frame) => !truthy(code(frame));
  },
  negative: ({ operand, at }, context) => compileSign(operand, at, context, true),
  positive: ({ operand, at }, context) => compileSign(operand, at, context, false),
  and: ({ left, right }, context) => {
    const first = compileExpression(left, context);
    const second = compileExpression(right, context);
    return (frame) => {
      const value = first(frame);
      return truthy(value) ? second(frame) : value;
    };
  },
  or: ({ left, right }, context) => {
    const first = compileExpression(left, context);
    const second = compileExpression(right, context);
    return (frame) => {
      const value = first(frame);
      return truthy(value) ? value : second(frame);
    };
  },
  binary: ({ operator, left, right, at }, context) => {
    const first = compileExpression(left, context);
    const second = compileExpression(right, context);
    return (frame) => {
      const a = first(frame);
      const b = second(frame);
      frame.at = at;
      return operate(operator, a, b, frame.runtime);
    };
  },
  compare: compileComparison,
  cond: ({ test, then, otherwise }, context) => {
    const condition = compileExpression(test, context);
    const yes = compileExpression(then, context);
    const no = otherwise ? compileExpression(otherwise, context) : () => new EmptyUndefined();
    return (frame) => (truthy(condition(frame)) ? yes(frame) : no(frame));
  },
  attr: compileAttribute,
  item: ({ object, index, at }, context) => compileItem(object, index, at, context),
  slice: () => {
    throw new TemplateError('a slice stands only in brackets by itself');
  },
  call: compileCall,
  filter: compileFilter,
  test: compileTest,
};

function constant(value: Val): Code {
  return () => value;
}

/** Compiles a string literal of which the templates inside are rendered. */
export function compileLiteral(text: string): Code {
  if (!hasTemplate(text)) return constant(text);
  const template = new TrustedTemplate(text);
  return (frame) => frame.runtime.lazy(template);
}

function compileName(name: string, at: number): Code {
  return (frame) => {
    frame.at = at;
    return frame.resolve(name);
  };
}

function compileItems(items: readonly Expr[], context: CompileContext): (frame: Frame) => Val[] {
  const codes = items.map((item) => compileExpression(item, context));
  return (frame) => {
    const values: Val[] = [];
    for (const code of codes) values.push(code(frame));
    return values;
  };
}

function compileList(items: readonly Expr[], context: CompileContext): Code {
  return compileItems(items, context);
}

function compileDict(members: readonly (readonly [Expr, Expr])[], context: CompileContext): Code {
  const codes = members.map(
    ([key, value]) => [compileExpression(key, context), compileExpression(value, context)] as const,
  );
  return (frame) => {
    const map = new Map<Val, Val>();
    for (const [key, value] of codes) storeMember(map, key(frame), value(frame));
    return map;
  };
}

function compileSign(operand: Expr, at: number, context: CompileContext, minus: boolean): Code {
  const code = compileExpression(operand, context);
  return (frame) => {
    const value = code(frame);
    frame.at = at;
    return negate(value, minus);
  };
}

function compileAttribute({ object, name, at }: AttrExpr, context: CompileContext): Code {
  const code = compilePath(object, context);
  return (frame) => {
    const value = code(frame);
    frame.at = at;
    return getAttribute(value, name, frame.runtime);
  };
}

function compileItem(object: Expr, index: Expr, at: number, context: CompileContext): Code {
  const code = compilePath(object, context);
  if (index.kind === 'slice') return compileSlice(code, index, at, context);
  const key = compileExpression(index, context);
  return (frame) => {
    const value = code(frame);
    const wanted = key(frame);
    frame.at = at;
    return getItem(value, wanted, frame.runtime);
  };
}

function compileSlice(
  object: Code,
  { start, stop, step }: Extract<Expr, { readonly kind: 'slice' }>,
  at: number,
  context: CompileContext,
): Code {
  const [from, to, by] = [start, stop, step].map((bound) =>
    bound === undefined ? constant(null) : compileExpression(bound, context),
  );
  return (frame) => {
    const value = object(frame);
    const bounds = {
      start: from?.(frame) ?? null,
      stop: to?.(frame) ?? null,
      step: by?.(frame) ?? null,
    };
    frame.at = at;
    return getSlice(frame.runtime.force(value), bounds, frame.runtime);
  };
}

function compileFilter({ name, operand, args, at }: FilterExpr, context: CompileContext): Code {
  const value = operand === undefined ? blockText : filtered(name, operand, context);
  return compileCallback(
    { kind: 'filter', name, value, at },
    compileArguments(args, context),
    context,
  );
}

/** The filter unvault opens a vaulted scalar itself: the passwords of the run need not fit. */
const VAULT_FILTER = /(?:^|\.)unvault$/;

function filtered(filter: string, operand: Expr, context: CompileContext): Code {
  const code = compileExpression(operand, context);
  if (!VAULT_FILTER.test(filter) || operand.kind !== 'name') return code;
  return (frame) => {
    const variable = frame.runtime.scope.get(operand.name);
    return variable instanceof VaultText ? variable.ciphertext : code(frame);
  };
}

/** The text of the `{% filter %}` block around, which the statement leaves under this name. */
export const BLOCK_TEXT = ' block';

function blockText(frame: Frame): Val {
  return frame.env?.get(BLOCK_TEXT) ?? '';
}

/** Whether a variable is a vaulted scalar must be asked of the variable: its value is the opened secret. */
const VAULT_TEST = /(?:^|\.)vault_encrypted$/;

function compileTest({ name, operand, args, at }: TestExpr, context: CompileContext): Code {
  const value = compileExpression(operand, context);
  const test = compileCallback(
    { kind: 'test', name, value, at },
    compileArguments(args, context),
    context,
  );
  if (!VAULT_TEST.test(name) || operand.kind !== 'name') return test;
  return (frame) => frame.runtime.scope.get(operand.name) instanceof VaultText || test(frame);
}

interface CallbackUse {
  readonly kind: 'filter' | 'test';
  readonly name: string;
  readonly value: Code;
  readonly at: number;
}

function compileCallback(
  { kind, name, value, at }: CallbackUse,
  args: ReturnType<typeof compileArguments>,
  context: CompileContext,
): Code {
  const callback = context[kind](name);
  return (frame) => {
    frame.at = at;
    if (callback === undefined) return unknownCallback(kind, name, context);
    const first = value(frame);
    const [positional, kwargs] = args(frame);
    frame.at = at;
    return placed(callback.invoke(frame.runtime, [first, ...positional], kwargs), frame);
  };
}

function unknownCallback(kind: 'filter' | 'test', name: string, context: CompileContext): never {
  const names = kind === 'filter' ? context.filterNames() : context.testNames();
  const hint = didYouMean(name, names);
  throw new TemplateError(
    `there is no ${kind} named "${name}"${hint === undefined ? '' : ` (${hint})`}`,
  );
}
