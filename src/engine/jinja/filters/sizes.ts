import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { DateTime } from '../moments.ts';
import { fixedText, isNumber, makeInt, roundHalfEven, toNumber } from '../numbers.ts';
import { isText, type Val } from '../objects.ts';
import { requireText, textOf } from '../text.ts';
import { parseFloatText } from './convert.ts';

/** Powers of 1024 by their letter, the largest first. */
const UNITS: readonly (readonly [string, number])[] = ['Y', 'Z', 'E', 'P', 'T', 'G', 'M', 'K'].map(
  (letter, index) => [letter, 1024 ** (8 - index)] as const,
);

function humanReadable(value: Val, isBits: Val, unit: Val): string {
  if (!isNumber(value)) throw new TemplateError('human_readable takes a number');
  const base = truthy(isBits) ? 'bits' : 'Bytes';
  const size = toNumber(value);
  const wanted = unit === null ? undefined : requireText(unit, 'unit').toUpperCase();
  const found = UNITS.find(([letter, limit]) =>
    wanted === undefined ? size >= limit : wanted === letter,
  );
  if (found === undefined) return `${fixedText(size, 2)} ${base}`;
  return `${fixedText(size / found[1], 2)} ${found[0]}${base.charAt(0)}`;
}

function humanToBytes(value: Val, defaultUnit: Val, isBits: Val): Val {
  if (value instanceof DateTime) throw new TemplateError('human_to_bytes takes a size');
  const text = textOf(value);
  const match = /^\s*(\d*\.?\d*)\s*([A-Za-z]+)?/.exec(text);
  const size = parseFloatText(match?.[1] ?? '');
  if (size === undefined) throw new TemplateError(`${JSON.stringify(text)} is no size`);
  const unit = match?.[2] ?? (defaultUnit === null ? undefined : textOf(defaultUnit));
  if (unit === undefined) return makeInt(BigInt(roundHalfEven(size, 0)));
  return makeInt(BigInt(roundHalfEven(size * factorOf(unit, truthy(isBits), text), 0)));
}

function factorOf(unit: string, isBits: boolean, text: string): number {
  const [base, word] = isBits ? ['b', 'bit'] : ['B', 'byte'];
  const letter = unit.charAt(0).toUpperCase();
  const factor = letter === 'B' ? 1 : UNITS.find(([name]) => name === letter)?.[1];
  if (factor === undefined) throw new TemplateError(`${JSON.stringify(text)} has an unknown unit`);
  const rest = letter === 'B' ? unit : unit.slice(1);
  const known = ['', base, word, `${word}s`];
  const fits = known.includes(rest) || (known.includes(rest.toLowerCase()) && rest.length > 1);
  if (!fits)
    throw new TemplateError(`the unit "${unit}" does not fit ${isBits ? 'bits' : 'bytes'}`);
  return factor;
}

const PREFIXES = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'];

function fileSize(value: Val, binary: boolean): string {
  const size = isNumber(value)
    ? toNumber(value)
    : isText(value)
      ? parseFloatText(textOf(value))
      : undefined;
  if (size === undefined) throw new TemplateError('filesizeformat takes a number');
  const base = binary ? 1024 : 1000;
  if (size === 1) return '1 Byte';
  if (size < base) return `${Math.trunc(size)} Bytes`;
  const steps = PREFIXES.findIndex((_, index) => size < base ** (index + 2));
  const index = steps === -1 ? PREFIXES.length - 1 : steps;
  const prefix = PREFIXES[index] ?? '';
  const unit = binary ? `${prefix.toUpperCase()}iB` : `${prefix}B`;
  return `${fixedText(size / base ** (index + 1), 1)} ${unit}`;
}

/** Filters of sizes for people. */
export const sizeFilters: readonly Builtin[] = [
  define('human_readable', 'size, isbits=False, unit=None', (_runtime, value, isBits, unit) =>
    humanReadable(value, isBits, unit),
  ),
  define(
    'human_to_bytes',
    'size, default_unit=None, isbits=False',
    (_runtime, value, unit, isBits) => humanToBytes(value, unit, isBits),
  ),
  define('filesizeformat', 'value, binary=False', (_runtime, value, binary) =>
    fileSize(value, truthy(binary)),
  ),
];
