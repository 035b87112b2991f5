import { Float } from '../../values.ts';
import { type Builtin, define, tableOf } from '../builtin.ts';
import { isInt, toNumber } from '../numbers.ts';
import type { Val } from '../objects.ts';

function isIntegral(value: Val): boolean {
  return isInt(value) || (value instanceof Float && Number.isInteger(toNumber(value)));
}

/** The methods of int and float. */
export const numberMethods: ReadonlyMap<string, Builtin> = tableOf([
  define('is_integer', 'self', (_runtime, self) => isIntegral(self)),
  define('bit_length', 'self', (_runtime, self) => {
    const size = isInt(self) ? BigInt(self) : 0n;
    return size === 0n ? 0 : (size < 0n ? -size : size).toString(2).length;
  }),
]);
