import { Float } from '../values.ts';
import type { BinaryOperator } from './ast.ts';
import { TemplateError } from './errors.ts';
import { escapeHtml } from './html.ts';
import { DateTime, TimeDelta } from './moments.ts';
import { isFloat, isInt, isNumber, makeFloat, makeInt, toBigInt, toNumber } from './numbers.ts';
import {
  isList,
  isText,
  Markup,
  type Runtime,
  Tuple,
  typeName,
  Undefined,
  type Val,
} from './objects.ts';
import { percentFormat } from './percent-format.ts';
import { textOf } from './text.ts';

type Num = number | bigint | boolean | Float;
type Operation = (a: Val, b: Val, runtime: Runtime) => Val;

/** The largest integer that is computed, in bits. */
const MAX_INT_BITS = 100_000;
const MAX_INT = 1n << BigInt(MAX_INT_BITS);

const OPERATIONS: Readonly<Record<BinaryOperator, Operation>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '//': floorDivide,
  '%': modulo,
  '**': power,
};

/** A binary operator with Python's rules. Throws TemplateError on operands that do not fit. */
export function operate(operator: BinaryOperator, a: Val, b: Val, runtime: Runtime): Val {
  if (a instanceof Undefined) a.fail();
  if (b instanceof Undefined) b.fail();
  return OPERATIONS[operator](a, b, runtime);
}

function unsupported(operator: string, a: Val, b: Val): never {
  throw new TemplateError(
    `unsupported operand types for ${operator}: '${typeName(a)}' and '${typeName(b)}'`,
  );
}

function arithmetic(
  a: Num,
  b: Num,
  ints: (a: bigint, b: bigint) => bigint,
  floats: (a: number, b: number) => number,
): Val {
  if (!isInt(a) || !isInt(b)) return makeFloat(floats(toNumber(a), toNumber(b)));
  const quick = floats(Number(a), Number(b));
  if (typeof a !== 'bigint' && typeof b !== 'bigint' && Number.isSafeInteger(quick)) return quick;
  return limited(ints(toBigInt(a), toBigInt(b)));
}

/** Numbers grow by multiplication faster than they can be printed. */
function limited(value: bigint): Val {
  if (value > MAX_INT || value < -MAX_INT) throw new TemplateError('the number is too large');
  return makeInt(value);
}

function add(a: Val, b: Val, runtime: Runtime): Val {
  if (isNumber(a) && isNumber(b))
    return arithmetic(
      a,
      b,
      (x, y) => x + y,
      (x, y) => x + y,
    );
  if (typeof a === 'string' && typeof b === 'string') {
    runtime.checkSize(a.length + b.length);
    return a + b;
  }
  if (isText(a) && isText(b)) return addMarkup(escapeHtml(a), escapeHtml(b), runtime);
  if (isList(a) && isList(b)) return addLists(a, b, runtime);
  return addMoments(a, b) ?? unsupported('+', a, b);
}

function addMarkup(a: string, b: string, runtime: Runtime): Markup {
  runtime.checkSize(a.length + b.length);
  return new Markup(a + b);
}

function addMoments(a: Val, b: Val): Val | undefined {
  if (a instanceof DateTime && b instanceof TimeDelta) return a.plus(b);
  if (a instanceof TimeDelta && b instanceof DateTime) return b.plus(a);
  if (a instanceof TimeDelta && b instanceof TimeDelta) return new TimeDelta(a.micros + b.micros);
  return undefined;
}

function addLists(a: readonly Val[], b: readonly Val[], runtime: Runtime): Val {
  if (a instanceof Tuple !== b instanceof Tuple) unsupported('+', a, b);
  runtime.checkItems(a.length + b.length);
  return a instanceof Tuple ? Tuple.fromItems([...a, ...b]) : [...a, ...b];
}

function subtract(a: Val, b: Val): Val {
  if (isNumber(a) && isNumber(b))
    return arithmetic(
      a,
      b,
      (x, y) => x - y,
      (x, y) => x - y,
    );
  if (a instanceof DateTime && b instanceof DateTime) return a.minus(b);
  if (a instanceof DateTime && b instanceof TimeDelta) return a.plus(new TimeDelta(-b.micros));
  if (a instanceof TimeDelta && b instanceof TimeDelta) return new TimeDelta(a.micros - b.micros);
  return unsupported('-', a, b);
}

function multiply(a: Val, b: Val, runtime: Runtime): Val {
  if (isNumber(a) && isNumber(b))
    return arithmetic(
      a,
      b,
      (x, y) => x * y,
      (x, y) => x * y,
    );
  if (isInt(a)) return repeat(b, Number(a), runtime) ?? unsupported('*', a, b);
  if (isInt(b)) return repeat(a, Number(b), runtime) ?? unsupported('*', a, b);
  return unsupported('*', a, b);
}

function repeat(value: Val, count: number, runtime: Runtime): Val | undefined {
  const times = Math.max(0, count);
  if (isText(value)) {
    const text = textOf(value);
    runtime.checkSize(text.length * times);
    return value instanceof Markup ? new Markup(text.repeat(times)) : text.repeat(times);
  }
  if (!isList(value)) return undefined;
  runtime.checkItems(value.length * times);
  const items = Array.from({ length: times }, () => value).flat(1);
  return value instanceof Tuple ? Tuple.fromItems(items) : items;
}

function requireNumbers(operator: string, a: Val, b: Val): asserts a is Num {
  if (!isNumber(a) || !isNumber(b)) unsupported(operator, a, b);
}

function requireNonZero(b: Num): void {
  if (toNumber(b) === 0) throw new TemplateError('division by zero');
}

function divide(a: Val, b: Val): Val {
  requireNumbers('/', a, b);
  if (!isNumber(b)) return unsupported('/', a, b);
  requireNonZero(b);
  if (typeof a === 'bigint' || typeof b === 'bigint') return makeFloat(quotient(a, b));
  return makeFloat(toNumber(a) / toNumber(b));
}

/** The quotient rounded once, also where an operand is no exact JavaScript number. */
function quotient(a: Num, b: Num): number {
  if (!isInt(a) || !isInt(b)) return toNumber(a) / toNumber(b);
  const [x, y] = [toBigInt(a), toBigInt(b)];
  const shift = Math.max(0, 66 + y.toString(2).length - x.toString(2).length);
  const scaled = x << BigInt(shift);
  // The last bit says that something was cut off, so that the conversion rounds to the right side.
  const sticky = scaled % y === 0n ? 0n : 1n;
  return Number(((scaled / y) << 1n) | sticky) / 2 ** (shift + 1);
}

function floorDivide(a: Val, b: Val): Val {
  requireNumbers('//', a, b);
  if (!isNumber(b)) return unsupported('//', a, b);
  requireNonZero(b);
  if (!isInt(a) || !isInt(b)) return makeFloat(Math.floor(toNumber(a) / toNumber(b)));
  const x = toBigInt(a);
  const y = toBigInt(b);
  const quotient = x / y;
  return makeInt(x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient);
}

function modulo(a: Val, b: Val, runtime: Runtime): Val {
  if (isText(a)) return percentFormat(textOf(a), b, runtime);
  requireNumbers('%', a, b);
  if (!isNumber(b)) return unsupported('%', a, b);
  requireNonZero(b);
  if (!isInt(a) || !isInt(b)) return makeFloat(floatModulo(toNumber(a), toNumber(b)));
  const y = toBigInt(b);
  const rest = toBigInt(a) % y;
  return makeInt(rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest);
}

function floatModulo(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

function power(a: Val, b: Val): Val {
  requireNumbers('**', a, b);
  if (!isNumber(b)) return unsupported('**', a, b);
  if (isInt(a) && isInt(b) && Number(b) >= 0) return intPower(toBigInt(a), toBigInt(b));
  if (toNumber(a) === 0 && toNumber(b) < 0) throw new TemplateError('zero to a negative power');
  const result = toNumber(a) ** toNumber(b);
  if (Number.isNaN(result) && !isNaNValue(a) && !isNaNValue(b)) {
    throw new TemplateError('a fractional power of a negative number is not real');
  }
  return makeFloat(result);
}

function isNaNValue(value: Num): boolean {
  return isFloat(value) && Number.isNaN(toNumber(value));
}

function intPower(base: bigint, exponent: bigint): Val {
  if (base * base > 1n && BigInt(base.toString(2).length) * exponent > MAX_INT_BITS) {
    throw new TemplateError('the power is too large');
  }
  return makeInt(base ** exponent);
}

/** Unary minus (or plus, which only checks). */
export function negate(value: Val, minus: boolean): Val {
  if (value instanceof Undefined) value.fail();
  if (value instanceof TimeDelta) return new TimeDelta(minus ? -value.micros : value.micros);
  if (!isNumber(value))
    throw new TemplateError(`bad operand type for a sign: '${typeName(value)}'`);
  if (value instanceof Float) return new Float(minus ? -value.value : value.value);
  if (isFloat(value)) return minus ? -value : value;
  const int = toBigInt(value);
  return makeInt(minus ? -int : int);
}

/** Python's `~`: both sides as text. */
export function concatenate(values: readonly Val[], runtime: Runtime): Val {
  const texts = values.map((value) => textOf(value));
  runtime.checkSize(texts.reduce((size, text) => size + text.length, 0));
  return texts.join('');
}
