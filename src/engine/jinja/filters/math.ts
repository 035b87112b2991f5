import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import {
  isInt,
  isNumber,
  makeFloat,
  makeInt,
  roundHalfEven,
  toAmount,
  toInteger,
  toNumber,
} from '../numbers.ts';
import { isText, typeName, type Val } from '../objects.ts';
import { negate } from '../operators.ts';
import { textOf } from '../text.ts';
import { parseFloatText } from './convert.ts';

function numberOf(value: Val, filter: string): number {
  if (!isNumber(value))
    throw new TemplateError(`${filter} takes a number, not '${typeName(value)}'`);
  return toNumber(value);
}

function abs(value: Val): Val {
  const plain = numberOf(value, 'abs');
  if (typeof value === 'boolean') return Number(value);
  return plain < 0 || Object.is(plain, -0) ? negate(value, true) : value;
}

const METHODS: ReadonlyMap<Val, (value: number) => number> = new Map<
  Val,
  (value: number) => number
>([
  ['floor', Math.floor],
  ['ceil', Math.ceil],
]);

function round(value: Val, precision: Val, method: Val): Val {
  if (method === 'common') return roundCommon(value, precision);
  const plain = numberOf(value, 'round');
  const step = METHODS.get(method);
  if (step === undefined) throw new TemplateError('method must be common, ceil or floor');
  const unit = 10 ** toAmount(precision, 'precision');
  if (!Number.isFinite(plain) || !Number.isFinite(unit))
    throw new TemplateError('round takes finite numbers');
  return makeFloat(step(plain * unit) / unit);
}

function roundCommon(value: Val, precision: Val): Val {
  const plain = numberOf(value, 'round');
  if (precision === null) return toWhole(roundHalfEven(plain, 0));
  const places = toInteger(precision, 'precision');
  if (isInt(value)) return places < 0 ? roundInt(BigInt(value), places) : makeInt(BigInt(value));
  return makeFloat(roundHalfEven(plain, places));
}

function toWhole(value: number): Val {
  if (Number.isFinite(value)) return makeInt(BigInt(value));
  throw new TemplateError('round takes finite numbers');
}

function roundInt(value: bigint, places: number): Val {
  const unit = 10n ** BigInt(Math.min(-places, 400));
  const rest = ((value % unit) + unit) % unit;
  const down = value - rest;
  const up = rest * 2n > unit || (rest * 2n === unit && (down / unit) % 2n !== 0n);
  return makeInt(up ? down + unit : down);
}

function log(value: Val, base: Val): Val {
  const plain = numberOf(value, 'log');
  const radix = numberOf(base, 'log');
  if (plain <= 0 || radix <= 0 || radix === 1)
    throw new TemplateError('log takes positive numbers');
  if (radix === 10) return makeFloat(Math.log10(plain));
  if (radix === 2) return makeFloat(Math.log2(plain));
  return makeFloat(radix === Math.E ? Math.log(plain) : Math.log(plain) / Math.log(radix));
}

function pow(value: Val, exponent: Val): Val {
  const result = numberOf(value, 'pow') ** numberOf(exponent, 'pow');
  if (Number.isNaN(result)) throw new TemplateError('the power is not real');
  if (!Number.isFinite(result)) throw new TemplateError('the power is too large');
  return makeFloat(result);
}

/** A text that Python's float() reads is taken for its number. */
function floatOf(value: Val): Val {
  const parsed = isText(value) ? parseFloatText(textOf(value)) : undefined;
  return parsed === undefined ? value : makeFloat(parsed);
}

function root(value: Val, degree: Val): Val {
  const plain = numberOf(value, 'root');
  const n = numberOf(floatOf(degree), 'root');
  if (plain < 0 || n === 0) throw new TemplateError('root takes no negative number');
  if (n === 2) return makeFloat(Math.sqrt(plain));
  return makeFloat(plain ** (1 / n));
}

/** Filters of numbers. */
export const mathFilters: readonly Builtin[] = [
  define('abs', 'value', (_runtime, value) => abs(value)),
  define('round', "value, precision=0, method='common'", (_runtime, value, precision, method) =>
    round(value, precision, method),
  ),
  define('log', 'value, base=2.718281828459045', (_runtime, value, base) => log(value, base)),
  define('pow', 'value, exponent', (_runtime, value, exponent) => pow(value, exponent)),
  define('root', 'value, base=2', (_runtime, value, degree) => root(value, degree)),
];
