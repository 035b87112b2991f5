/** What formatting needs to know of a moment. */
export interface CalendarMoment {
  readonly millis: number;
  readonly micros: number;
  readonly offsetMinutes: number | undefined;
  /** The zone's name, where it is known. */
  readonly zone?: string | undefined;
}

export const DAY_NAMES = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
];
export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

type Directive = (date: Date, moment: CalendarMoment) => string | number;

function pad(value: number, width = 2, fill = '0'): string {
  return String(value).padStart(width, fill);
}

function yearDay(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
}

function weekNumber(date: Date, firstDay: number): number {
  const weekday = (date.getUTCDay() + 7 - firstDay) % 7;
  return Math.floor((yearDay(date) + 6 - weekday) / 7);
}

/** The ISO year and week: a week belongs to the year of its Thursday. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getTime());
  thursday.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  return { year: thursday.getUTCFullYear(), week: Math.ceil(yearDay(thursday) / 7) };
}

function hour12(date: Date): number {
  return date.getUTCHours() % 12 || 12;
}

function zone(minutes: number | undefined): string {
  if (minutes === undefined) return '';
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}${pad(size % 60)}`;
}

const DIRECTIVES: ReadonlyMap<string, Directive> = new Map<string, Directive>([
  ['a', (date) => (DAY_NAMES[date.getUTCDay()] ?? '').slice(0, 3)],
  ['A', (date) => DAY_NAMES[date.getUTCDay()] ?? ''],
  ['b', (date) => (MONTH_NAMES[date.getUTCMonth()] ?? '').slice(0, 3)],
  ['B', (date) => MONTH_NAMES[date.getUTCMonth()] ?? ''],
  ['C', (date) => pad(Math.floor(date.getUTCFullYear() / 100))],
  ['d', (date) => pad(date.getUTCDate())],
  ['e', (date) => pad(date.getUTCDate(), 2, ' ')],
  ['f', (date, { micros }) => pad(date.getUTCMilliseconds() * 1000 + micros, 6)],
  ['G', (date) => isoWeek(date).year],
  ['H', (date) => pad(date.getUTCHours())],
  ['I', (date) => pad(hour12(date))],
  ['j', (date) => pad(yearDay(date), 3)],
  ['k', (date) => pad(date.getUTCHours(), 2, ' ')],
  ['l', (date) => pad(hour12(date), 2, ' ')],
  ['m', (date) => pad(date.getUTCMonth() + 1)],
  ['M', (date) => pad(date.getUTCMinutes())],
  ['n', () => '\n'],
  ['p', (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM')],
  ['P', (date) => (date.getUTCHours() < 12 ? 'am' : 'pm')],
  ['s', (date, { offsetMinutes }) => Math.floor(date.getTime() / 1000) - (offsetMinutes ?? 0) * 60],
  ['S', (date) => pad(date.getUTCSeconds())],
  ['t', () => '\t'],
  ['u', (date) => date.getUTCDay() || 7],
  ['U', (date) => pad(weekNumber(date, 0))],
  ['V', (date) => pad(isoWeek(date).week)],
  ['w', (date) => date.getUTCDay()],
  ['W', (date) => pad(weekNumber(date, 1))],
  ['y', (date) => pad(date.getUTCFullYear() % 100)],
  ['Y', (date) => date.getUTCFullYear()],
  ['z', (_date, { offsetMinutes }) => zone(offsetMinutes)],
  ['Z', (_date, { offsetMinutes, zone }) => zone ?? (offsetMinutes === undefined ? '' : 'UTC')],
  ['%', () => '%'],
]);

const COMPOUNDS: ReadonlyMap<string, string> = new Map([
  ['c', '%a %b %e %H:%M:%S %Y'],
  ['D', '%m/%d/%y'],
  ['F', '%Y-%m-%d'],
  ['h', '%b'],
  ['r', '%I:%M:%S %p'],
  ['R', '%H:%M'],
  ['T', '%H:%M:%S'],
  ['x', '%m/%d/%y'],
  ['X', '%H:%M:%S'],
]);

/** C's strftime in the C locale. An unknown directive stays as it is. */
export function strftime(format: string, moment: CalendarMoment): string {
  const date = new Date(moment.millis);
  const expanded = format.replace(
    /%(.)/g,
    (whole, letter: string) => COMPOUNDS.get(letter) ?? whole,
  );
  return expanded.replace(/%-?(.)/gs, (whole, letter: string) => {
    const directive = DIRECTIVES.get(letter);
    if (directive === undefined) return whole;
    const text = String(directive(date, moment));
    return whole[1] === '-' && whole.length === 3 ? text.replace(/^[0 ]+(?=.)/, '') : text;
  });
}
