import type { Argument, CallExpr } from './ast.ts';
import type { Code, CompileContext } from './compile-context.ts';
import { TemplateError } from './errors.ts';
import { type Frame, placed } from './frame.ts';
import { membersOf, requireMap } from './iterate.ts';
import { type Kwargs, PyFunction, typeName, Undefined, type Val } from './objects.ts';
import { requireText } from './text.ts';

/** Methods that change a list or dict in place. */
const MUTATORS: ReadonlySet<string> = new Set([
  'append',
  'extend',
  'insert',
  'pop',
  'popitem',
  'remove',
  'clear',
  'reverse',
  'sort',
  'setdefault',
  'update',
]);

export type CompiledArguments = (frame: Frame) => readonly [readonly Val[], Kwargs | undefined];

/** Compiles the arguments of a call, filter or test. */
export function compileArguments(
  args: readonly Argument[],
  context: CompileContext,
): CompiledArguments {
  if (args.length === 0) return () => NO_ARGUMENTS;
  return gather(
    args.map((argument) => ({ ...argument, code: context.expression(argument.value) })),
  );
}

const LITERALS: ReadonlySet<string> = new Set(['const', 'list', 'dict', 'tuple']);

/**
 * Compiles a lookup's arguments: Ansible renders the string literals among its terms, but neither its name nor what
 * is given by name.
 */
function compileLookupArguments(
  args: readonly Argument[],
  context: CompileContext,
): CompiledArguments {
  const rendering = context.renderingLiterals();
  return gather(
    args.map((argument, i) => {
      const { name, spread, value } = argument;
      const isTerm = name === undefined && (spread === '*' || (spread === undefined && i > 0));
      const isRendered = isTerm && LITERALS.has(value.kind);
      const inner = isRendered ? rendering : context;
      return { ...argument, code: inner.expression(value) };
    }),
  );
}

function gather(codes: readonly (Argument & { readonly code: Code })[]): CompiledArguments {
  if (codes.every(({ name, spread }) => name === undefined && spread === undefined)) {
    return (frame) => [codes.map(({ code }) => code(frame)), undefined];
  }
  return (frame) => {
    const positional: Val[] = [];
    const kwargs = new Map<string, Val>();
    for (const { code, name, spread } of codes) {
      const value = code(frame);
      if (spread === '*') addItems(positional, membersOf(value, frame.runtime));
      else if (spread === '**') addKeywords(kwargs, value);
      else if (name === undefined) positional.push(value);
      else kwargs.set(name, value);
    }
    return [positional, kwargs];
  };
}

const NO_ARGUMENTS: readonly [readonly Val[], undefined] = [[], undefined];
const NO_KEYWORDS: Kwargs = new Map();

/** One by one: a call takes fewer arguments than a list may have items. */
function addItems(positional: Val[], items: readonly Val[]): void {
  for (const item of items) positional.push(item);
}

function addKeywords(kwargs: Map<string, Val>, value: Val): void {
  for (const [key, member] of requireMap(value, 'the argument after **')) {
    kwargs.set(requireText(key, 'the name of an argument'), member);
  }
}

const LOOKUP_FUNCTIONS: ReadonlySet<string> = new Set(['lookup', 'query', 'q']);

/** Compiles a call of a method, a global function or a macro. */
export function compileCall({ callee, args, at }: CallExpr, context: CompileContext): Code {
  if (callee.kind === 'attr' && MUTATORS.has(callee.name)) context.noteMutation();
  const target = context.path(callee);
  const isLookup = callee.kind === 'name' && LOOKUP_FUNCTIONS.has(callee.name);
  const compiled = isLookup
    ? compileLookupArguments(args, context)
    : compileArguments(args, context);
  return (frame) => {
    const called = target(frame);
    if (called instanceof Undefined) return called;
    const [positional, kwargs] = compiled(frame);
    frame.at = at;
    if (!(called instanceof PyFunction)) {
      throw new TemplateError(`'${typeName(called)}' object is not callable`);
    }
    frame.runtime.step();
    return placed(called.call(positional, kwargs ?? NO_KEYWORDS, frame.runtime), frame);
  };
}
