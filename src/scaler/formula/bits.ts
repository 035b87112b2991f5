/** The functions of formulas on the bits of integers, which have 64 of them. */
import type { FormulaFunction } from './functions.ts';

type Operation = (a: bigint, b: bigint) => bigint;

export const BIT_FUNCTIONS: Readonly<Record<string, FormulaFunction>> = {
  bitand: ofTwo((a, b) => a & b),
  bitor: ofTwo((a, b) => a | b),
  bitxor: ofTwo((a, b) => a ^ b),
  bitnand: ofTwo((a, b) => a & ~b),
  bitshl: ofTwo((a, b) => a << shift(b)),
  bitshr: ofTwo((a, b) => a >> shift(b)),
  bitushr: ofTwo((a, b) => BigInt.asUintN(64, a) >> shift(b)),
  bitnot: { takes: ['number'], gives: 'number', isWhole: true, apply: (a: number) => -a - 1 },
};

function ofTwo(operation: Operation): FormulaFunction {
  const apply = (a: number, b: number) =>
    Number(BigInt.asIntN(64, operation(integer(a), integer(b))));
  return { takes: ['number', 'number'], gives: 'number', isWhole: true, apply };
}

function integer(value: number): bigint {
  if (!Number.isInteger(value)) throw new RangeError('whole numbers are needed');
  return BigInt(value);
}

/** What is shifted further is gone. */
function shift(by: bigint): bigint {
  if (by < 0n) throw new RangeError('a shift must not be below 0');
  return by > 64n ? 64n : by;
}
