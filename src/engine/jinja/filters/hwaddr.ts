import { type Builtin, define } from '../builtin.ts';
import { TemplateError } from '../errors.ts';
import { makeInt } from '../numbers.ts';
import { isText, type Val } from '../objects.ts';
import { textOf } from '../text.ts';

type Style = (digits: string) => Val;

const pairs = (digits: string) => digits.match(/../g) ?? [];
const triplets = (digits: string, size: number, mark: string) =>
  (digits.match(new RegExp(`.{${size}}`, 'g')) ?? []).join(mark);

const STYLES: ReadonlyMap<string, Style> = new Map<string, Style>([
  ['bare', (digits) => digits.toUpperCase()],
  ['bool', () => true],
  ['int', (digits) => makeInt(BigInt(`0x${digits}`))],
  ['cisco', (digits) => triplets(digits, 4, '.')],
  ['eui48', (digits) => pairs(digits).join('-').toUpperCase()],
  ['win', (digits) => pairs(digits).join('-').toUpperCase()],
  ['linux', (digits) => pairs(digits).join(':')],
  [
    'unix',
    (digits) =>
      pairs(digits)
        .map((pair) => pair.replace(/^0/, ''))
        .join(':'),
  ],
  ['pgsql', (digits) => triplets(digits, 6, ':')],
  ['postgresql', (digits) => triplets(digits, 6, ':')],
  ['psql', (digits) => triplets(digits, 6, ':')],
]);

function digitsOf(value: Val): string | undefined {
  if (!isText(value) && typeof value !== 'number') return undefined;
  const text = textOf(value).toLowerCase();
  const isWritten =
    /^(?:[\da-f]{1,2}([:-])[\da-f]{1,2}(?:\1[\da-f]{1,2}){4}|(?:[\da-f]{4}\.){2}[\da-f]{4}|[\da-f]{12})$/.test(
      text,
    );
  if (!isWritten) return undefined;
  return text
    .split(/[:-]/)
    .map((part) => (part.length < 2 ? `0${part}` : part))
    .join('')
    .replaceAll('.', '');
}

function hwaddr(value: Val, query: Val, filter: string): Val {
  const digits = digitsOf(value);
  const name = textOf(query);
  if (digits === undefined) {
    if (name === '' || name === 'bool') return null;
    throw new TemplateError(
      `${JSON.stringify(textOf(value))} is no hardware address for ${filter}`,
    );
  }
  if (name === '') return textOf(value);
  const style = STYLES.get(name);
  if (style === undefined) throw new TemplateError(`${filter} does not know the format "${name}"`);
  return style(digits);
}

/** The filters of hardware addresses. */
export const hwaddrFilters: readonly Builtin[] = [
  define('hwaddr', "value, query='', alias='hwaddr'", (_runtime, value, query) =>
    hwaddr(value, query, 'hwaddr'),
  ),
  define('macaddr', "value, query=''", (_runtime, value, query) => hwaddr(value, query, 'macaddr')),
];
