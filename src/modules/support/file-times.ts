/** Access and modification times as the file module's arguments give them. */
import {
  type PathState,
  type Reader,
  run,
  type Step,
  TaskError,
  type Value,
} from '../../engine/module.ts';
import { sh } from '../../shared/shell.ts';
import { table } from '../../shared/table.ts';

/** A time to set in seconds since the epoch, or the moment of the change. Absent: as it is. */
export interface Times {
  readonly mtime?: number | 'now';
  readonly atime?: number | 'now';
}

export interface TimeWish {
  readonly modification_time?: string | undefined;
  readonly modification_time_format: string;
  readonly access_time?: string | undefined;
  readonly access_time_format: string;
}

const DIRECTIVES: Readonly<Record<string, string>> = table({
  ...{ Y: '(?<Y>\\d{4})', m: '(?<m>\\d\\d?)', d: '(?<d>\\d\\d?)', H: '(?<H>\\d\\d?)' },
  ...{ M: '(?<M>\\d\\d?)', S: '(?<S>\\d\\d?)', y: '(?<y>\\d\\d)', j: '(?<j>\\d{1,3})' },
  ...{ b: '(?<b>[A-Za-z]{3})', '%': '%' },
});
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Reads times in the host's time zone. `fallback` stands for a time that is not given. */
export async function readTimes(
  host: Reader,
  wish: TimeWish,
  fallback: 'now' | 'preserve',
): Promise<Times> {
  const [mtime, atime] = await Promise.all([
    readTime(host, wish.modification_time ?? fallback, wish.modification_time_format),
    readTime(host, wish.access_time ?? fallback, wish.access_time_format),
  ]);
  return { ...(mtime !== undefined && { mtime }), ...(atime !== undefined && { atime }) };
}

async function readTime(
  host: Reader,
  text: string,
  format: string,
): Promise<number | 'now' | undefined> {
  if (text === 'preserve' || text === '') return undefined;
  if (text === 'now') return text;
  const { code, stdout, stderr } = await host.read(sh`date -d ${parseTime(text, format)} +%s`);
  if (code === 0) return Number(stdout);
  throw new TaskError(`time "${text}" does not exist on the host: ${stderr.trim()}`);
}

/** A time in a strptime format as `YYYY-MM-DD HH:MM:SS`. Throws TaskError where it is not in the format. */
export function parseTime(text: string, format: string): string {
  const escaped = format.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  const pattern = escaped.replaceAll(
    /%(.)/g,
    (whole, letter: string) => DIRECTIVES[letter] ?? whole,
  );
  const fields = new RegExp(`^${pattern}$`).exec(text.trim())?.groups;
  if (fields === undefined) {
    throw new TaskError(
      `Error while obtaining timestamp for time ${text} using format ${format}: time data does not match format`,
    );
  }
  const part = (name: string, otherwise: string) => (fields[name] ?? otherwise).padStart(2, '0');
  const year = fields['Y'] ?? century(fields['y']);
  const day = `${year}-${month(fields)}-${part('d', '1')}`;
  const [date] = fields['j'] === undefined ? [day] : dayOfYear(Number(year), Number(fields['j']));
  return `${date} ${part('H', '0')}:${part('M', '0')}:${part('S', '0')}`;
}

/** POSIX: 69 to 99 are of the twentieth century. */
function century(twoDigits = '70'): string {
  return `${Number(twoDigits) < 69 ? '20' : '19'}${twoDigits}`;
}

function month(fields: Readonly<Record<string, string>>): string {
  const named = MONTHS.indexOf(fields['b']?.toLowerCase() ?? '') + 1;
  return (fields['m'] ?? String(named || 1)).padStart(2, '0');
}

function dayOfYear(year: number, day: number): string[] {
  return new Date(Date.UTC(year, 0, day)).toISOString().split('T');
}

/** Whether a file is given the time of the task, whatever its state. */
export function setsTimes(args: ReadonlyMap<string, Value>): boolean {
  const usual = args.get('state') === 'touch' ? 'now' : 'preserve';
  return ['modification_time', 'access_time'].some((name) => (args.get(name) ?? usual) === 'now');
}

/** Steps that set the times of something that exists. A time of `now` is set whatever it was. */
export function timeSteps(
  path: string,
  from: Pick<PathState, 'atime' | 'mtime'>,
  to: Times,
): Step[] {
  const { mtime, atime } = to;
  if (mtime === 'now' && atime === 'now') return [run(sh`touch -c -- ${path}`, { always: true })];
  return [...timeStep(path, '-m', from.mtime, mtime), ...timeStep(path, '-a', from.atime, atime)];
}

function timeStep(
  path: string,
  option: '-m' | '-a',
  from: number,
  to: number | 'now' | undefined,
): Step[] {
  if (to === undefined || to === from) return [];
  if (to === 'now') return [run(sh`touch -c ${option} -- ${path}`, { always: true })];
  return [run(sh`touch -c ${option} -d ${`@${to}`} -- ${path}`)];
}

/** The times that differ, for a diff. `now` is not known before it is. */
export function timesAfter(from: Pick<PathState, 'atime' | 'mtime'>, to: Times): Times {
  return {
    ...(to.mtime !== undefined && to.mtime !== from.mtime && { mtime: to.mtime }),
    ...(to.atime !== undefined && to.atime !== from.atime && { atime: to.atime }),
  };
}
