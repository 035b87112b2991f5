/** What the operators of formulas do. */

import { RE2JS, RE2JSException } from 're2js';
import { durationArithmetic } from './durations.ts';
import { FormulaFault, KindFault } from './formula-error.ts';
import {
  type Code,
  charge,
  Duration,
  expecting,
  type Frame,
  isEqual,
  type Kind,
  kindOf,
  required,
  type Value,
} from './values.ts';

type Arithmetic = (a: number, b: number, at: number) => number;

const ARITHMETIC: Readonly<Record<string, Arithmetic>> = {
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': remainder,
  '**': (a, b) => a ** b,
  '^': (a, b) => a ** b,
};
/** These give an integer where both operands are one. */
const KEEPS_WHOLE: ReadonlySet<string> = new Set(['-', '*', '%']);
const COMPARE: Readonly<Record<string, <T extends number | string>(a: T, b: T) => boolean>> = {
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
};
const TEXT: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  contains: (a, b) => a.includes(b),
  startsWith: (a, b) => a.startsWith(b),
  endsWith: (a, b) => a.endsWith(b),
};

export function unary(operator: string, argument: Code, start: number): Code {
  if (operator === '()') return argument;
  if (operator === 'not' || operator === '!') {
    const run = expecting(argument, 'boolean');
    return { start, kind: 'boolean', run: (frame) => !run(frame) };
  }
  const run = expecting(argument, 'number');
  const sign = operator === '-' ? -1 : 1;
  const { isWhole } = argument;
  return { start, kind: 'number', isWhole, run: (frame) => sign * run(frame) };
}

export function binary(operator: string, left: Code, right: Code): Code {
  const { start } = left;
  const ofDurations = durationArithmetic(operator, left, right);
  if (ofDurations !== undefined) return ofDurations;
  const arithmetic = ARITHMETIC[operator];
  if (arithmetic !== undefined) {
    const [a, b] = [expecting(left, 'number'), expecting(right, 'number')];
    const run = (frame: Frame) => arithmetic(a(frame), b(frame), right.start);
    const isWhole = KEEPS_WHOLE.has(operator) && wholeOf(left, right);
    return { start, kind: 'number', isWhole, run };
  }
  const text = TEXT[operator];
  if (text !== undefined) {
    const [a, b] = [expecting(left, 'string'), expecting(right, 'string')];
    return { start, kind: 'boolean', run: (frame) => text(a(frame), b(frame)) };
  }
  return (OTHERS[operator] ?? unknownOperator(operator))(left, right);
}

/** `a < b <= c`; what follows the first comparison that fails is not looked at. */
export function comparison(operands: readonly Code[], operators: readonly string[]): Code {
  const [first, ...others] = operands;
  if (first === undefined) throw new TypeError('a comparison has operands');
  for (const [index, next] of others.entries()) requireComparable(operands[index] ?? first, next);
  const run = (frame: Frame) => {
    let left = first;
    let a = first.run(frame);
    for (const [index, right] of others.entries()) {
      const b = right.run(frame);
      const [x, y] = [comparable(left, a), comparable(right, b)];
      if (typeof x !== typeof y) throw mismatch(left, kindOf(x), kindOf(y));
      if (COMPARE[operators[index] ?? '']?.(x, y) !== true) return false;
      [left, a] = [right, b];
    }
    return true;
  };
  return { start: first.start, kind: 'boolean', run };
}

export function conditional(test: Code, consequent: Code, alternate: Code): Code {
  const condition = expecting(test, 'boolean');
  const kind = consequent.kind === alternate.kind ? consequent.kind : undefined;
  const isWhole = consequent.isWhole === alternate.isWhole ? consequent.isWhole : undefined;
  const run = (frame: Frame) => (condition(frame) ? consequent : alternate).run(frame);
  return { start: test.start, kind, isWhole, run };
}

const OTHERS: Readonly<Record<string, (left: Code, right: Code) => Code>> = {
  '+': add,
  '&&': and,
  and,
  '||': or,
  or,
  '==': (left, right) => equality(left, right, true),
  '!=': (left, right) => equality(left, right, false),
  in: membership,
  matches,
  '..': range,
  '??': coalesce,
};

/** Undefined where it is not known. */
function wholeOf(left: Code, right: Code): boolean | undefined {
  if (left.isWhole === false || right.isWhole === false) return false;
  return left.isWhole && right.isWhole;
}

/** The last pattern is kept: it is the same in nearly every evaluation. */
function matches(left: Code, right: Code): Code {
  const [a, b] = [expecting(left, 'string'), expecting(right, 'string')];
  let known = { pattern: '', compiled: RE2JS.compile('') };
  const run = (frame: Frame) => {
    const [text, pattern] = [a(frame), b(frame)];
    charge(frame, text.length * Math.max(1, pattern.length), left.start);
    if (pattern !== known.pattern) known = { pattern, compiled: readPattern(pattern, right.start) };
    return known.compiled.test(text);
  };
  return { start: left.start, kind: 'boolean', run };
}

/** RE2 takes no longer than the text is long, whatever the pattern: a formula must not keep the operator busy. */
function readPattern(pattern: string, start: number): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new KindFault(error.message, start);
  }
}

function unknownOperator(operator: string): never {
  throw new TypeError(`no operator ${operator}`);
}

function add(left: Code, right: Code): Code {
  const { start } = left;
  requireComparable(left, right);
  const run = (frame: Frame) => {
    const [a, b] = [comparable(left, left.run(frame)), comparable(right, right.run(frame))];
    if (typeof a === 'number' && typeof b === 'number') return a + b;
    if (typeof a !== 'string' || typeof b !== 'string') throw mismatch(left, kindOf(a), kindOf(b));
    charge(frame, a.length + b.length, start);
    return a + b;
  };
  return { start, kind: left.kind ?? right.kind, isWhole: wholeOf(left, right), run };
}

function and(left: Code, right: Code): Code {
  const [a, b] = [expecting(left, 'boolean'), expecting(right, 'boolean')];
  return { start: left.start, kind: 'boolean', run: (frame) => a(frame) && b(frame) };
}

function or(left: Code, right: Code): Code {
  const [a, b] = [expecting(left, 'boolean'), expecting(right, 'boolean')];
  return { start: left.start, kind: 'boolean', run: (frame) => a(frame) || b(frame) };
}

function equality(left: Code, right: Code, wanted: boolean): Code {
  if (left.kind !== undefined && right.kind !== undefined && left.kind !== right.kind) {
    throw mismatch(left, left.kind, right.kind);
  }
  const run = (frame: Frame) =>
    isEqual(left.run(frame), right.run(frame), frame, left.start) === wanted;
  return { start: left.start, kind: 'boolean', run };
}

function membership(left: Code, right: Code): Code {
  if (right.kind !== 'map') expecting(right, 'list');
  const run = (frame: Frame) => {
    const wanted = left.run(frame);
    const whole = right.run(frame);
    if (whole instanceof Map) return whole.has(wanted);
    const elements = required(whole, 'list', right);
    return elements.some((element) => isEqual(element, wanted, frame, right.start));
  };
  return { start: left.start, kind: 'boolean', run };
}

function range(left: Code, right: Code): Code {
  const [a, b] = [expecting(left, 'number'), expecting(right, 'number')];
  const run = (frame: Frame) => {
    const [first, last] = [whole(a(frame), left.start), whole(b(frame), right.start)];
    const length = Math.max(0, last - first + 1);
    charge(frame, length, left.start);
    return Array.from({ length }, (_, index) => first + index);
  };
  return { start: left.start, kind: 'list', run };
}

function coalesce(left: Code, right: Code): Code {
  const kind = left.kind === right.kind ? left.kind : undefined;
  return { start: left.start, kind, run: (frame) => left.run(frame) ?? right.run(frame) };
}

/** An integer; throws FormulaFault for anything else. */
export function whole(value: number, start: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new FormulaFault(
    `a whole number is needed and not ${value}`,
    start,
    'use int() or round()',
  );
}

function remainder(a: number, b: number, at: number): number {
  if (b === 0) throw new FormulaFault('the remainder of a division by zero is asked for', at);
  return a % b;
}

/** Numbers, texts and durations have an order. */
function comparable(code: Code, value: Value): number | string {
  if (value instanceof Duration) return value.nanoseconds;
  return typeof value === 'string' ? value : required(value, 'number', code);
}

function requireComparable(left: Code, right: Code): void {
  for (const code of [left, right]) {
    if (code.kind !== 'string' && code.kind !== 'duration') expecting(code, 'number');
  }
  if (left.kind !== undefined && right.kind !== undefined && left.kind !== right.kind) {
    throw mismatch(left, left.kind, right.kind);
  }
}

function mismatch({ start }: Code, a: Kind | undefined, b: Kind | undefined): KindFault {
  return new KindFault(`a ${a ?? 'nil'} and a ${b ?? 'nil'} do not go together`, start);
}
