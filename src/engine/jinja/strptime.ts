import { TemplateError } from './errors.ts';
import { DateTime } from './moments.ts';
import { DAY_NAMES, MONTH_NAMES } from './strftime.ts';

type Fields = Map<string, string>;

const shortNames = (names: readonly string[]) => names.map((name) => name.slice(0, 3));
const anyOf = (names: readonly string[]) => `(?:${names.join('|')})`;

/** For each directive the pattern of what it reads. */
const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['Y', '\\d{4}'],
  ['y', '\\d{2}'],
  ['m', '1[0-2]|0[1-9]|[1-9]'],
  ['d', '3[01]|[12]\\d|0[1-9]|[1-9]| [1-9]'],
  ['H', '2[0-3]|[01]\\d|\\d'],
  ['I', '1[0-2]|0[1-9]|[1-9]'],
  ['M', '[0-5]\\d|\\d'],
  ['S', '6[01]|[0-5]\\d|\\d'],
  ['f', '\\d{1,6}'],
  ['j', '36[0-6]|3[0-5]\\d|[12]\\d\\d|0[1-9]\\d|00[1-9]|[1-9]\\d|0[1-9]|[1-9]'],
  ['p', 'am|pm'],
  ['z', '[-+]\\d\\d:?[0-5]\\d(?::?[0-5]\\d)?|Z'],
  ['Z', 'utc|gmt'],
  ['b', anyOf(shortNames(MONTH_NAMES))],
  ['B', anyOf(MONTH_NAMES)],
  ['a', anyOf(shortNames(DAY_NAMES))],
  ['A', anyOf(DAY_NAMES)],
  ['w', '[0-6]'],
]);

const COMPOUNDS: ReadonlyMap<string, string> = new Map([
  ['c', '%a %b %d %H:%M:%S %Y'],
  ['x', '%m/%d/%y'],
  ['X', '%H:%M:%S'],
]);

/** Python's datetime.strptime in the C locale. Throws TemplateError where the text does not fit the format. */
export function strptime(text: string, format: string): DateTime {
  const { pattern, directives } = compile(format);
  const match = pattern.exec(text);
  if (match === null)
    throw new TemplateError(`${JSON.stringify(text)} does not match the format "${format}"`);
  const fields: Fields = new Map(directives.map((name, index) => [name, match[index + 1] ?? '']));
  return momentOf(fields, text);
}

function compile(format: string): { pattern: RegExp; directives: readonly string[] } {
  const expanded = format.replace(
    /%([cxX])/g,
    (whole, letter: string) => COMPOUNDS.get(letter) ?? whole,
  );
  const directives: string[] = [];
  const source = expanded.replace(
    /%(.)|\s+|[\\^$.*+?()[\]{}|]/gs,
    (whole, letter: string | undefined) => {
      if (letter === undefined) return /\s/.test(whole) ? '\\s+' : `\\${whole}`;
      if (letter === '%') return '%';
      const pattern = PATTERNS.get(letter);
      if (pattern === undefined)
        throw new TemplateError(`"%${letter}" is no directive of a date format`);
      directives.push(letter);
      return `(${pattern})`;
    },
  );
  return { pattern: new RegExp(`^${source}$`, 'i'), directives };
}

function momentOf(fields: Fields, text: string): DateTime {
  const number = (name: string) => Number(fields.get(name) ?? Number.NaN);
  const year = yearOf(fields);
  const month = monthOf(fields);
  const day = Number.isNaN(number('d')) ? 1 : number('d');
  const date = Date.UTC(year, month - 1, day, hourOf(fields), number('M') || 0, number('S') || 0);
  const check = new Date(date);
  check.setUTCFullYear(year);
  const isReal = check.getUTCMonth() === month - 1 && check.getUTCDate() === day;
  if (!isReal) throw new TemplateError(`${JSON.stringify(text)} is no day of the calendar`);
  const fraction = Number((fields.get('f') ?? '0').padEnd(6, '0'));
  const shift = Number.isNaN(number('j')) ? 0 : (number('j') - 1) * 86_400_000;
  const millis = check.getTime() + shift + Math.floor(fraction / 1000);
  return new DateTime(millis, fraction % 1000, offsetOf(fields.get('z')));
}

function yearOf(fields: Fields): number {
  const full = fields.get('Y');
  if (full !== undefined) return Number(full);
  const short = fields.get('y');
  if (short === undefined) return 1900;
  return Number(short) + (Number(short) < 69 ? 2000 : 1900);
}

function monthOf(fields: Fields): number {
  const name = fields.get('b') ?? fields.get('B');
  if (name === undefined) return Number(fields.get('m') ?? 1);
  return (
    shortNames(MONTH_NAMES).findIndex((short) =>
      name.toLowerCase().startsWith(short.toLowerCase()),
    ) + 1
  );
}

function hourOf(fields: Fields): number {
  const hour12 = fields.get('I');
  if (hour12 === undefined) return Number(fields.get('H') ?? 0);
  const afternoon = fields.get('p')?.toLowerCase() === 'pm';
  return (Number(hour12) % 12) + (afternoon ? 12 : 0);
}

function offsetOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === 'Z' || text === 'z') return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.replace(/:/g, '').slice(3, 5));
  return text.startsWith('-') ? -minutes : minutes;
}
