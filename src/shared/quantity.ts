import { table } from './table.ts';

/** Amounts as the Kubernetes API writes them (apimachinery's resource.Quantity): `5`, `2500m`, `1Gi`, `1e3`. */

const FACTORS: Readonly<Record<string, number>> = table({
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
});
const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;

/** The number that a quantity stands for, or undefined where the text is none. */
export function parseQuantity(text: string): number | undefined {
  const match = QUANTITY.exec(text.trim());
  if (match === null) return undefined;
  const [, digits, exponent, suffix = ''] = match;
  if (exponent !== undefined) return Number(`${digits}e${exponent}`);
  return Number(digits) * (FACTORS[suffix] ?? 1);
}

/** A quantity in whole numbers or in thousandths (`5`, `2500m`). What is no amount (negative, NaN, infinite) gives 0. */
export function formatQuantity(value: number): string {
  if (!Number.isFinite(value) || value <= 0) return '0';
  const thousandths = Math.round(value * 1000);
  if (thousandths % 1000 === 0) return BigInt(thousandths / 1000).toString();
  return `${BigInt(thousandths)}m`;
}
