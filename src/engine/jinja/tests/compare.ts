import type { CompareOperator } from '../ast.ts';
import { type Builtin, define } from '../builtin.ts';
import { equals, hashKey, requireHashable, truthy } from '../compare.ts';
import { compare, contains } from '../compile-comparison.ts';
import { requireDefined } from '../defined-parts.ts';
import { isTrueText, parseFloatText } from '../filters/convert.ts';
import { iterate, membersOf } from '../iterate.ts';
import { isFloat, toNumber } from '../numbers.ts';
import { isText, type Runtime, Undefined, type Val } from '../objects.ts';
import { operate } from '../operators.ts';
import { textOf } from '../text.ts';

const OPERATORS: readonly (readonly [string, CompareOperator])[] = [
  ['== eq equalto', '=='],
  ['!= ne', '!='],
  ['> gt greaterthan', '>'],
  ['>= ge', '>='],
  ['< lt lessthan', '<'],
  ['<= le', '<='],
];

function remainder(runtime: Runtime, value: Val, divisor: Val): Val {
  return operate('%', value, divisor, runtime);
}

/** Whether all items of a are in b, which are all hashable. */
function isSubset(runtime: Runtime, a: Val, b: Val): boolean {
  const items = iterate(a, runtime);
  for (const item of [...items, ...iterate(b, runtime)]) requireHashable(item);
  const keys = new Set(iterate(b, runtime).map((item) => hashKey(item)));
  return items.every((item) => keys.has(hashKey(item)));
}

function isSame(a: Val, b: Val): boolean {
  if (a === b) return true;
  return isText(a) && isText(b) && textOf(a) === textOf(b);
}

const FALSE_TEXTS: ReadonlySet<string> = new Set(['no', 'off', '0', 'false', 'n', 'f', '']);

function converted(value: Val): Val {
  requireDefined(value);
  if (!isText(value)) return value;
  const text = textOf(value);
  if (isTrueText(text)) return true;
  return FALSE_TEXTS.has(text.toLowerCase()) ? false : value;
}

function isTruthy(value: Val, convert: Val): boolean {
  return truthy(truthy(convert) ? converted(value) : value);
}

function isNaNValue(value: Val): boolean {
  if (value instanceof Undefined) value.fail();
  if (isText(value)) return Number.isNaN(parseFloatText(textOf(value)) ?? 0);
  return isFloat(value) && Number.isNaN(toNumber(value));
}

/** Tests that compare values. */
export const compareTests: readonly Builtin[] = [
  ...OPERATORS.map(([names, operator]) =>
    define(names, 'value, other', (runtime, value, other) =>
      compare(operator, value, other, runtime),
    ),
  ),
  define('in', 'value, seq', (runtime, value, other) => {
    requireDefined(value);
    return contains(value, other, runtime);
  }),
  define('contains', 'value, other', (runtime, value, other) => contains(other, value, runtime)),
  define('sameas', 'value, other', (_runtime, value, other) => isSame(value, other)),
  define('odd', 'value', (runtime, value) => equals(remainder(runtime, value, 2), 1)),
  define('even', 'value', (runtime, value) => equals(remainder(runtime, value, 2), 0)),
  define('divisibleby', 'value, num', (runtime, value, divisor) =>
    equals(remainder(runtime, value, divisor), 0),
  ),
  define('subset issubset', 'a, b', isSubset),
  define('superset issuperset', 'a, b', (runtime, a, b) => isSubset(runtime, b, a)),
  define('all', 'value', (runtime, value) => iterate(value, runtime).every(truthy)),
  // What follows the first that is true is not looked at.
  define('any', 'value', (runtime, value) => membersOf(value, runtime).some(truthy)),
  define('truthy', 'value, convert_bool=False', (_runtime, value, convert) =>
    isTruthy(value, convert),
  ),
  define(
    'falsy',
    'value, convert_bool=False',
    (_runtime, value, convert) => !isTruthy(value, convert),
  ),
  define('isnan nan', 'value', (_runtime, value) => isNaNValue(value)),
];
