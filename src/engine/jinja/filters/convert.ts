import { type Builtin, define } from '../builtin.ts';
import { equals, truthy } from '../compare.ts';
import { requireDefined } from '../defined-parts.ts';
import { TemplateError } from '../errors.ts';
import { iterate } from '../iterate.ts';
import { isFloat, isInt, isNumber, makeFloat, makeInt, toNumber } from '../numbers.ts';
import { isText, Markup, type Runtime, typeName, Undefined, type Val } from '../objects.ts';
import { requireText, textOf } from '../text.ts';

/** Ansible's `default`: an undefined value is replaced, with `boolean` every false one. */
function defaultValue(value: Val, fallback: Val, boolean: Val): Val {
  const isStrict = !truthy(boolean);
  if (value instanceof Undefined && value.text() !== '') {
    if (typeof boolean === 'boolean') return fallback;
    throw new TemplateError('the second argument of default must be a boolean');
  }
  return isStrict || truthy(value) ? value : fallback;
}

function mandatory(value: Val, message: Val): Val {
  if (!(value instanceof Undefined)) return value;
  if (message === null) throw new TemplateError(`a mandatory value is missing: ${value.message}`);
  throw new TemplateError(requireText(message, 'msg'));
}

const TRUE_TEXTS: ReadonlySet<string> = new Set(['yes', 'on', '1', 'true', 't', 'y']);

/** Ansible's `bool`: yes, on, 1 and true in any case are true, everything else is false. */
export function toBool(value: Val): boolean {
  if (typeof value === 'boolean') return value;
  if (isText(value)) return ['yes', 'on', '1', 'true'].includes(textOf(value).toLowerCase());
  return isNumber(value) && equals(value, 1);
}

/** Whether a text is one of the words that Ansible's options take for true. */
export function isTrueText(text: string): boolean {
  return TRUE_TEXTS.has(text.toLowerCase());
}

const INTEGER_TEXT = /^\s*([-+]?)(\d+(?:_\d+)*)\s*$/;
const FLOAT_TEXT = /^\s*[-+]?(?:(?:\d[\d_]*)?\.?\d[\d_]*\.?(?:e[-+]?\d+)?|inf(?:inity)?|nan)\s*$/i;

/** The number that Python's float() reads, or undefined. */
export function parseFloatText(text: string): number | undefined {
  if (!FLOAT_TEXT.test(text)) return undefined;
  const plain = text.trim().toLowerCase().replaceAll('_', '');
  if (plain.endsWith('nan')) return Number.NaN;
  if (plain.includes('inf')) return plain.startsWith('-') ? -Infinity : Infinity;
  const value = Number(plain);
  return Number.isNaN(value) ? undefined : value;
}

function truncated(value: number, fallback: Val): Val {
  if (Math.abs(value) === Infinity) throw new TemplateError('an infinite number is no integer');
  return Number.isFinite(value) ? makeInt(BigInt(Math.trunc(value))) : fallback;
}

function toInt(value: Val, fallback: Val, base: Val): Val {
  if (value instanceof Undefined) return value.fail();
  if (isInt(value)) return makeInt(BigInt(value));
  if (isFloat(value)) return truncated(toNumber(value), fallback);
  if (!isText(value)) return fallback;
  const text = textOf(value);
  const integer = isInt(base) ? parseInteger(text, Number(base)) : undefined;
  if (integer !== undefined) return integer;
  // What is no integer of the base may still be a float.
  const float = parseFloatText(text);
  return float === undefined ? fallback : truncated(float, fallback);
}

function parseInteger(text: string, radix: number): Val | undefined {
  if (radix !== 10) return parseRadix(text, radix);
  const digits = INTEGER_TEXT.exec(text);
  if (digits === null) return undefined;
  return makeInt(BigInt(`${digits[2]?.replaceAll('_', '')}`) * (digits[1] === '-' ? -1n : 1n));
}

const PREFIXES: ReadonlyMap<number, RegExp> = new Map([
  [2, /^0b/],
  [8, /^0o/],
  [16, /^0x/],
]);

function parseRadix(text: string, radix: number): Val | undefined {
  const sign = /^\s*-/.test(text) ? -1n : 1n;
  const body = text
    .trim()
    .replace(/^[-+]/, '')
    .toLowerCase()
    .replace(PREFIXES.get(radix) ?? /^$/, '');
  if (body === '' || radix < 2 || radix > 36) return undefined;
  let value = 0n;
  for (const char of body.replaceAll('_', '')) {
    const digit = Number.parseInt(char, radix);
    if (Number.isNaN(digit)) return undefined;
    value = value * BigInt(radix) + BigInt(digit);
  }
  return makeInt(value * sign);
}

function toFloat(value: Val, fallback: Val): Val {
  if (value instanceof Undefined) return value.fail();
  if (isNumber(value)) return makeFloat(toNumber(value));
  const parsed = isText(value) ? parseFloatText(textOf(value)) : undefined;
  if (parsed !== undefined) return makeFloat(parsed);
  return fallback;
}

function toList(runtime: Runtime, value: Val): Val {
  return [...iterate(value, runtime)];
}

/** Filters that change a value's type or stand in for a missing one. */
export const convertFilters: readonly Builtin[] = [
  define(
    'default d',
    "value, default_value='', boolean=False",
    (_runtime, value, fallback, boolean) => defaultValue(value, fallback, boolean),
    { acceptsUndefined: true },
  ),
  define('mandatory', 'value, msg=None', (_runtime, value, message) => mandatory(value, message), {
    acceptsUndefined: true,
  }),
  define('bool', 'value', (_runtime, value) => {
    requireDefined(value);
    return toBool(value);
  }),
  define('int', 'value, default=0, base=10', (_runtime, value, fallback, base) =>
    toInt(value, fallback, base),
  ),
  define('float', 'value, default=0.0', (_runtime, value, fallback) => toFloat(value, fallback)),
  define('string', 'value', (_runtime, value) => (value instanceof Markup ? value : textOf(value))),
  define('list', 'value', toList),
  define('type_debug', 'value', (_runtime, value) => typeName(value), {
    acceptsUndefined: true,
    acceptsFailed: true,
  }),
  define(
    'ternary',
    'value, true_val, false_val, none_val=None',
    (_runtime, ...args) => {
      const [value = null, yes = null, no = null, none = null] = args;
      if (value === null && none !== null) return none;
      return truthy(value) ? yes : no;
    },
    { acceptsUndefined: true },
  ),
];
