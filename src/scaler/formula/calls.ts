/** Calls of functions in formulas. */
import { didYouMean } from '../../shared/errors.ts';
import { BIT_FUNCTIONS } from './bits.ts';
import { COLLECTION_FUNCTIONS } from './collections.ts';
import { methodOf } from './durations.ts';
import { FormulaFault } from './formula-error.ts';
import { type FormulaFunction, FUNCTIONS as PLAIN_FUNCTIONS } from './functions.ts';
import { PREDICATES, type PredicateCall, type PredicateFunction } from './predicates.ts';
import type { CallNode, FormulaNode } from './syntax.ts';
import {
  type Code,
  charge,
  expecting,
  type Frame,
  kindOf,
  required,
  type Value,
} from './values.ts';

/** Those that take values. */
export const FUNCTIONS = { ...PLAIN_FUNCTIONS, ...COLLECTION_FUNCTIONS, ...BIT_FUNCTIONS };

interface Layered {
  readonly pointers?: Readonly<Record<string, number>> | undefined;
  readonly layout: { localCount: number };
}
type Compile<S> = (node: FormulaNode, scope: S, start: number) => Code;

interface Site<S> {
  readonly title: string;
  readonly nodes: readonly FormulaNode[];
  readonly scope: S;
  readonly start: number;
  readonly compile: Compile<S>;
}

/** The code of a call. Throws FormulaFault where the function or the number of its arguments is not right. */
export function compileCall<S extends Layered>(
  { callee, arguments: nodes, endsInComma }: CallNode,
  scope: S,
  start: number,
  compile: Compile<S>,
): Code {
  if (callee.type === 'MemberExpression' && callee.property.type === 'Literal') {
    requireCount({ title: String(callee.property.value), nodes, start }, 0, 0);
    return methodOf(String(callee.property.value), compile(callee.object, scope, start), start);
  }
  if (callee.type !== 'Identifier') throw new FormulaFault('only functions can be called', start);
  const title = callee.name;
  const site = { title, nodes, scope, start, compile };
  const predicate = Object.hasOwn(PREDICATES, title) ? PREDICATES[title] : undefined;
  if (predicate !== undefined) {
    if (endsInComma) throw new FormulaFault(`${title} takes no comma at the end`, start);
    return callPredicate(site, predicate);
  }
  const plain = Object.hasOwn(FUNCTIONS, title)
    ? FUNCTIONS[title as keyof typeof FUNCTIONS]
    : undefined;
  if (plain !== undefined) return callFunction(site, plain);
  const known = [...Object.keys(FUNCTIONS), ...Object.keys(PREDICATES)].sort();
  const cure = didYouMean(title, known) ?? `there are ${known.join(', ')}`;
  throw new FormulaFault(`unknown function "${title}"`, start, cure);
}

function callFunction<S>(site: Site<S>, called: FormulaFunction): Code {
  const { title, nodes, scope, start, compile } = site;
  const codes = nodes.map((node) => compile(node, scope, start));
  const { takes, optional = 0, gives, isVariadic, isRepeated, isWhole } = called;
  // Each list of arguments was made for this function by `takes`.
  const apply = called.apply as (...values: readonly Value[]) => Value;
  if (isVariadic === true) {
    requireCount(site, 1, Number.POSITIVE_INFINITY);
    const run = (frame: Frame) => apply(numbersOf(codes, frame, start));
    return {
      start,
      kind: gives,
      isWhole: isWhole ?? wholeOf(codes),
      run: guarded(title, start, run),
    };
  }
  requireCount(
    site,
    takes.length - optional,
    isRepeated === true ? Number.POSITIVE_INFINITY : takes.length,
  );
  const known = codes[0] && called.ofCode?.(codes[0]);
  if (known !== undefined) return { start, kind: gives, run: () => known };
  const values = codes.map((code, index) => {
    const kind = takes[index] ?? takes.at(-1) ?? 'any';
    return kind === 'any' ? code.run : expecting(code, kind);
  });
  const run = (frame: Frame) => {
    const given = values.map((value) => value(frame));
    for (const value of given) charge(frame, sizeOf(value), start);
    return apply(...given);
  };
  return { start, kind: gives, isWhole, run: guarded(title, start, run) };
}

/** What is chosen among integers is one. */
function wholeOf(codes: readonly Code[]): boolean | undefined {
  const [first] = codes;
  return codes.every(({ isWhole }) => isWhole === first?.isWhole) ? first?.isWhole : undefined;
}

function callPredicate<S extends Layered>(site: Site<S>, called: PredicateFunction): Code {
  const { title, nodes, scope, start, compile } = site;
  const { isOptional, third, gives } = called;
  requireCount(site, isOptional === true ? 1 : 2, third === undefined ? 2 : 3);
  const [first, second, last] = nodes as [FormulaNode, FormulaNode?, FormulaNode?]; // Counted above.
  const list = expecting(compile(first, scope, start), 'list');
  const body = second === undefined ? undefined : compileBody(site, second, title === 'reduce');
  const end = last === undefined ? undefined : compile(last, scope, start);
  const lastOf = end === undefined || third === 'any' ? end?.run : expecting(end, 'string');
  const run = (frame: Frame) => {
    const elements = list(frame);
    const call = callOn(elements, body, frame, start);
    return called.apply({ ...call, last: lastOf?.(frame) });
  };
  return { start, kind: gives, run: guarded(title, start, run) };
}

interface Body {
  readonly code: Code;
  readonly slots: {
    readonly element: number;
    readonly index: number;
    readonly accumulator: number;
  };
  /** Parts of the body: what one run of it costs. */
  readonly size: number;
}

function compileBody<S extends Layered>(
  site: Site<S>,
  node: FormulaNode,
  hasAccumulator: boolean,
): Body {
  const { scope, start, compile } = site;
  const { layout } = scope;
  const element = layout.localCount;
  const slots = { element, index: element + 1, accumulator: element + 2 };
  layout.localCount += 3;
  const pointers = {
    '': slots.element,
    index: slots.index,
    ...(hasAccumulator && { acc: slots.accumulator }),
  };
  const inner = node.type === 'Predicate' ? node.body : node;
  const code = compile(inner, { ...scope, pointers }, node.start ?? start);
  return { code, slots, size: countNodes(inner) };
}

function callOn(
  list: readonly Value[],
  body: Body | undefined,
  frame: Frame,
  start: number,
): Omit<PredicateCall, 'last'> {
  const of = (element: Value, index: number, accumulator?: Value) => {
    charge(frame, body?.size ?? 1, start);
    if (body === undefined) return element;
    frame.locals[body.slots.element] = element;
    frame.locals[body.slots.index] = index;
    frame.locals[body.slots.accumulator] = accumulator;
    return body.code.run(frame);
  };
  const place = body?.code ?? { start, run: () => undefined };
  return {
    list,
    of,
    holds: (element, index) => required(of(element, index), 'boolean', place),
    number: (element, index) => required(of(element, index), 'number', place),
  };
}

function numbersOf(codes: readonly Code[], frame: Frame, start: number): readonly number[] {
  return codes.flatMap((code) => {
    const value = code.run(frame);
    const elements = Array.isArray(value) ? (value as readonly Value[]) : [value];
    charge(frame, elements.length, start);
    return elements.map((element) => required(element, 'number', code));
  });
}

function requireCount(
  { title, nodes, start }: Pick<Site<unknown>, 'title' | 'nodes' | 'start'>,
  least: number,
  most: number,
) {
  if (nodes.length >= least && nodes.length <= most) return;
  const range =
    most === Number.POSITIVE_INFINITY
      ? `${least} or more`
      : least === most
        ? `${least}`
        : `${least} to ${most}`;
  const noun = range === '1' ? 'argument' : 'arguments';
  throw new FormulaFault(`${title} takes ${range} ${noun} and not ${nodes.length}`, start);
}

/** Tells where a function stands that does not like its values. */
function guarded(title: string, start: number, run: (frame: Frame) => Value) {
  return (frame: Frame): Value => {
    try {
      return run(frame);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new FormulaFault(`${title}: ${error.message}`, start);
    }
  };
}

function sizeOf(value: Value): number {
  const kind = kindOf(value);
  return kind === 'list' || kind === 'string' ? (value as string | readonly Value[]).length : 1;
}

function countNodes(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  return Object.values(node).reduce((count: number, child) => count + countNodes(child), 1);
}
