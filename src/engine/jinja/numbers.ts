import { Float } from '../values.ts';
import { TemplateError } from './errors.ts';
import type { Val } from './objects.ts';

/** A Python float of a JavaScript number: boxed where it would look like an int. */
export function makeFloat(value: number): Val {
  return Number.isInteger(value) || !Number.isFinite(value) ? new Float(value) : value;
}

/** A Python int of any size: a number where that is exact. */
export function makeInt(value: bigint): number | bigint {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

export function isFloat(value: Val): value is Float | number {
  return value instanceof Float || (typeof value === 'number' && !Number.isInteger(value));
}

/** Whether a value is a Python int; bool is one only where `orBool` says so. */
export function isInt(value: Val, orBool = true): value is number | bigint | boolean {
  if (typeof value === 'number') return Number.isInteger(value);
  return typeof value === 'bigint' || (orBool && typeof value === 'boolean');
}

export function isNumber(value: Val): value is number | bigint | boolean | Float {
  const type = typeof value;
  return type === 'number' || type === 'bigint' || type === 'boolean' || value instanceof Float;
}

/** The JavaScript number closest to a Python number. */
export function toNumber(value: number | bigint | boolean | Float): number {
  return value instanceof Float ? value.value : Number(value);
}

export function toBigInt(value: number | bigint | boolean): bigint {
  return BigInt(value);
}

/** An integer argument, e.g. a width. Throws TemplateError where it is none. */
export function toInteger(value: Val, what: string): number {
  if (!isInt(value)) throw new TemplateError(`${what} must be an integer`);
  return Number(value);
}

/** A flag that Python takes as an integer, e.g. `reverse`. Throws TemplateError where it is none. */
export function toFlag(value: Val, what: string): boolean {
  return toCount(value, what) !== 0;
}

/** The largest int that Python takes for a size. */
const LARGEST_SIZE = 2 ** 63;

/** An integer argument that Python keeps as a size. Throws TemplateError where it is none, or too large. */
export function toCount(value: Val, what: string): number {
  const count = toInteger(value, what);
  if (Math.abs(count) < LARGEST_SIZE) return count;
  throw new TemplateError(`${what} is too large`);
}

/** A number that is only compared or added up, e.g. a limit. Throws TemplateError where it is none. */
export function toAmount(value: Val, what: string): number {
  if (!isNumber(value)) throw new TemplateError(`${what} must be a number`);
  return toNumber(value);
}

/** Python's repr() of a float. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    const digits = String(Math.abs(exponent)).padStart(2, '0');
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
  }
  return plainDecimal(value, exponent, mantissa.replace(/[-.]/g, ''));
}

function plainDecimal(value: number, exponent: number, digits: string): string {
  const sign = value < 0 ? '-' : '';
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

/** The decimal text with so many places, ties to even as Python rounds them. */
export function fixedText(value: number, places: number): string {
  if (!Number.isFinite(value)) return floatText(value);
  const text = value.toFixed(Math.min(places, 100));
  if (!isTie(value, places)) return text;
  const lastDigit = Number(text.at(-1));
  if (lastDigit % 2 === 0) return text;
  // toFixed took the neighbour further from zero; the even one is one unit nearer to it.
  const down = BigInt(text.replace('.', '').replace('-', '')) - 1n;
  const digits = String(down).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = places === 0 ? '' : `.${digits.slice(-places)}`;
  return `${value < 0 ? '-' : ''}${whole}${fraction}`;
}

function isTie(value: number, places: number): boolean {
  if (places > 70) return false;
  const exact = Math.abs(value).toFixed(places + 30);
  return /^50*$/.test(exact.slice(exact.indexOf('.') + 1 + places));
}

/** Python's round(): to the given decimals, ties to even. */
export function roundHalfEven(value: number, places: number): number {
  if (!Number.isFinite(value)) return value;
  if (places >= 0) return Math.abs(value) >= 1e21 ? value : Number(fixedText(value, places));
  const unit = 10 ** -places;
  return Number(fixedText(value / unit, 0)) * unit;
}
