import { type Builtin, define, tableOf } from '../builtin.ts';
import { isFloat, isInt, toNumber } from '../numbers.ts';
import type { Val } from '../objects.ts';

function bitLength(value: Val): number {
  const size = isInt(value) ? BigInt(value) : 0n;
  return size === 0n ? 0 : (size < 0n ? -size : size).toString(2).length;
}

const isInteger = define(
  'is_integer',
  'self',
  (_runtime, self) => !isFloat(self) || Number.isInteger(toNumber(self)),
);

/** The methods of int. */
export const intMethods: ReadonlyMap<string, Builtin> = tableOf([
  isInteger,
  define('bit_length', 'self', (_runtime, self) => bitLength(self)),
]);

/** The methods of float. */
export const floatMethods: ReadonlyMap<string, Builtin> = tableOf([isInteger]);
