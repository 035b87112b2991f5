import { TemplateError } from './errors.ts';
import { DateTime } from './moments.ts';
import { fixedText, floatText, isInt, isNumber, toBigInt, toNumber } from './numbers.ts';
import { isText, typeName, type Val } from './objects.ts';
import { strftime } from './strftime.ts';
import { characters, textLength, textOf } from './text.ts';

/** A parsed format specification: `[[fill]align][sign][#][0][width][,][.precision][type]`. */
interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly alternate: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | undefined;
  readonly type: string;
}

const SPEC =
  /^(?:(?<fill>.)?(?<align>[<>=^]))?(?<sign>[-+ ])?(?<alternate>#)?(?<zero>0)?(?<width>\d+)?(?<grouping>[,_])?(?:\.(?<precision>\d+))?(?<type>[bcdeEfFgGnosxX%])?$/su;

/** Widths and precisions beyond this are refused. */
const MAX_WIDTH = 1_000_000;

/** Python's format(value, spec). Throws TemplateError on a specification that does not fit the value. */
export function formatValue(value: Val, specText: string): string {
  if (specText === '') return textOf(value);
  if (value instanceof DateTime) return strftime(specText, value);
  const spec = parseSpec(specText);
  if (isNumber(value) && spec.type !== 's') return pad(formatNumber(value, spec), spec, '>');
  if (!isText(value) || (spec.type !== '' && spec.type !== 's')) {
    throw new TemplateError(
      `format "${specText}" does not fit a value of type '${typeName(value)}'`,
    );
  }
  const text = textOf(value);
  const cut =
    spec.precision === undefined ? text : characters(text).slice(0, spec.precision).join('');
  return pad(cut, spec, '<');
}

function parseSpec(text: string): Spec {
  const groups = SPEC.exec(text)?.groups;
  if (groups === undefined) throw new TemplateError(`invalid format specifier "${text}"`);
  const { zero, precision } = groups;
  const [fill, align] = zero === undefined ? [' ', ''] : ['0', '='];
  const spec = { fill, align, sign: '-', grouping: '', type: '', ...present(groups) };
  const width = Number(groups['width'] ?? 0);
  if (Math.max(width, Number(precision ?? 0)) > MAX_WIDTH) {
    throw new TemplateError('the width is too large');
  }
  const alternate = groups['alternate'] !== undefined;
  return {
    ...spec,
    alternate,
    width,
    precision: precision === undefined ? undefined : Number(precision),
  };
}

function present(groups: Readonly<Record<string, string | undefined>>): Partial<Spec> {
  const texts = ['fill', 'align', 'sign', 'grouping', 'type'] as const;
  return Object.fromEntries(
    texts.flatMap((name) => (groups[name] === undefined ? [] : [[name, groups[name]]])),
  );
}

type Num = Parameters<typeof toNumber>[0];

function formatNumber(value: Num, spec: Spec): string {
  const asInt = isInt(value) && 'bcdnoxX'.includes(spec.type || 'd');
  if (asInt) return formatInt(toBigInt(value), spec);
  if ('bcdoxX'.includes(spec.type) && spec.type !== '') {
    throw new TemplateError(`format code "${spec.type}" does not fit a float`);
  }
  return formatFloat(toNumber(value), spec);
}

const RADIX: ReadonlyMap<string, number> = new Map([
  ['b', 2],
  ['o', 8],
  ['x', 16],
  ['X', 16],
]);

function formatInt(value: bigint, spec: Spec): string {
  if (spec.type === 'c') return String.fromCodePoint(Number(value));
  const size = value < 0n ? -value : value;
  let digits = size.toString(RADIX.get(spec.type) ?? 10);
  if (spec.type === 'X') digits = digits.toUpperCase();
  const prefix = spec.alternate && RADIX.has(spec.type) ? `0${spec.type}` : '';
  return signOf(value < 0n, spec) + prefix + grouped(digits, spec);
}

function signOf(negative: boolean, spec: Spec): string {
  if (negative) return '-';
  return spec.sign === '-' ? '' : spec.sign;
}

function grouped(digits: string, spec: Spec): string {
  if (spec.grouping === '') return digits;
  const size = RADIX.has(spec.type) ? 4 : 3;
  const [whole = '', ...rest] = digits.split('.');
  const parts = whole.replace(new RegExp(`\\B(?=(?:\\w{${size}})+$)`, 'g'), spec.grouping);
  return [parts, ...rest].join('.');
}

function formatFloat(value: number, spec: Spec): string {
  const negative = value < 0 || Object.is(value, -0);
  const digits = floatDigits(Math.abs(value), spec);
  return signOf(negative, spec) + grouped(digits, spec);
}

function floatDigits(value: number, spec: Spec): string {
  if (!Number.isFinite(value)) return floatText(value) + (spec.type === '%' ? '%' : '');
  const precision = spec.precision ?? 6;
  switch (spec.type) {
    case 'f':
    case 'F':
      return fixedDigits(value, precision);
    case '%':
      return `${fixedDigits(value * 100, precision)}%`;
    case 'e':
      return exponential(value, precision);
    case 'E':
      return exponential(value, precision).toUpperCase();
    default:
      return generalDigits(value, spec);
  }
}

function fixedDigits(value: number, precision: number): string {
  if (value < 1e21) return fixedText(value, precision);
  const zeros = precision === 0 ? '' : `.${'0'.repeat(precision)}`;
  return BigInt(value).toString() + zeros;
}

function exponential(value: number, precision: number): string {
  const text = value.toExponential(Math.min(precision, 100));
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

function generalDigits(value: number, spec: Spec): string {
  if (spec.type === '' && spec.precision === undefined) return floatText(value);
  const precision = spec.precision === 0 ? 1 : (spec.precision ?? 6);
  const exponent =
    value === 0 ? 0 : Number(value.toExponential(Math.min(precision - 1, 100)).split('e')[1]);
  const scientific = exponent < -4 || exponent >= precision;
  const text = scientific
    ? exponential(value, precision - 1)
    : fixedDigits(value, precision - 1 - exponent);
  const plain = spec.alternate
    ? text
    : text.replace(/(\.\d*?)0+(?=e|$)/, '$1').replace(/\.(?=e|$)/, '');
  const needsPoint = spec.type === '' && !plain.includes('.') && !plain.includes('e');
  const result = needsPoint ? `${plain}.0` : plain;
  return spec.type === 'G' ? result.toUpperCase() : result;
}

function pad(text: string, spec: Spec, fallback: '<' | '>'): string {
  const missing = spec.width - textLength(text);
  if (missing <= 0) return text;
  const align = spec.align || fallback;
  if (align === '=') return afterSign(text, spec.fill.repeat(missing));
  if (align === '<') return text + spec.fill.repeat(missing);
  if (align === '>') return spec.fill.repeat(missing) + text;
  const left = Math.floor(missing / 2);
  return spec.fill.repeat(left) + text + spec.fill.repeat(missing - left);
}

function afterSign(text: string, filling: string): string {
  const head = /^[-+ ]?(?:0[bxoX])?/.exec(text)?.[0] ?? '';
  return head + filling + text.slice(head.length);
}
