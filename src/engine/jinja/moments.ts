import { Comparable } from './compare.ts';
import { TemplateError } from './errors.ts';
import { makeFloat, toInteger } from './numbers.ts';
import { type Kwargs, PyFunction, type Val } from './objects.ts';
import { strftime } from './strftime.ts';
import { requireText } from './text.ts';

const DAY_MICROS = 86_400_000_000;

/** A Python datetime. The fields are those of the moment in its own zone. */
export class DateTime extends Comparable {
  readonly typeName = 'datetime';
  /** Milliseconds since 1970 of the fields read as UTC. */
  readonly millis: number;
  /** The microseconds below the millisecond. */
  readonly micros: number;
  /** The zone's distance from UTC in minutes, or undefined for a datetime without a zone. */
  readonly offsetMinutes: number | undefined;

  constructor(millis: number, micros = 0, offsetMinutes?: number) {
    super();
    this.millis = millis;
    this.micros = micros;
    this.offsetMinutes = offsetMinutes;
  }

  override sortKey(): number {
    return (this.millis - (this.offsetMinutes ?? 0) * 60_000) * 1000 + this.micros;
  }

  plus(delta: TimeDelta): DateTime {
    const total = this.millis * 1000 + this.micros + delta.micros;
    const millis = Math.floor(total / 1000);
    return new DateTime(millis, total - millis * 1000, this.offsetMinutes);
  }

  minus(other: DateTime): TimeDelta {
    return new TimeDelta(this.sortKey() - other.sortKey());
  }

  isoformat(separator = 'T'): string {
    const iso = new Date(this.millis).toISOString();
    const fraction = (this.millis % 1000) * 1000 + this.micros;
    const tail = fraction === 0 ? '' : `.${String(Math.abs(fraction)).padStart(6, '0')}`;
    return (
      iso.slice(0, 10) + separator + iso.slice(11, 19) + tail + offsetText(this.offsetMinutes, ':')
    );
  }

  override text(): string {
    return this.isoformat(' ');
  }

  override repr(): string {
    const fields = [...FIELDS.values()].map((field) => field(new Date(this.millis), this));
    // Seconds and what is below them are left out where they are zero.
    while (fields.length > 5 && fields.at(-1) === 0) fields.pop();
    const zone = this.offsetMinutes === undefined ? [] : [`tzinfo=${zoneRepr(this.offsetMinutes)}`];
    return `datetime.datetime(${[...fields, ...zone].join(', ')})`;
  }

  /** The same moment with other fields. Throws TemplateError where there is no such moment. */
  replace(args: readonly Val[], kwargs: Kwargs): DateTime {
    const names = [...FIELDS.keys()];
    const unknown = [...kwargs.keys()].find((name) => !names.includes(name));
    if (unknown !== undefined || args.length > names.length)
      throw new TemplateError(`replace() takes ${names.join(', ')}`);
    const [year = 0, month = 1, day, hour, minute, second, micros = 0] = names.map((name, i) => {
      const given = args[i] ?? kwargs.get(name);
      return given === undefined ? fieldOf(this, name) : toInteger(given, name);
    });
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour ?? 0, minute, second, Math.floor(micros / 1000));
    const changed = new DateTime(date.getTime(), micros % 1000, this.offsetMinutes);
    const fields = [year, month, day, hour, minute, second, micros];
    if (names.some((name, i) => fieldOf(changed, name) !== fields[i]))
      throw new TemplateError('a field of the datetime is out of range');
    return changed;
  }

  override attribute(name: string): Val | undefined {
    if (name === 'replace')
      return new PyFunction(name, (args, kwargs) => this.replace(args, kwargs));
    const field = FIELDS.get(name);
    if (field !== undefined) return field(new Date(this.millis), this);
    const method = METHODS.get(name);
    return method && new PyFunction(name, (args) => method(this, args));
  }
}

const FIELDS: ReadonlyMap<string, (date: Date, moment: DateTime) => number> = new Map([
  ['year', (date: Date) => date.getUTCFullYear()],
  ['month', (date: Date) => date.getUTCMonth() + 1],
  ['day', (date: Date) => date.getUTCDate()],
  ['hour', (date: Date) => date.getUTCHours()],
  ['minute', (date: Date) => date.getUTCMinutes()],
  ['second', (date: Date) => date.getUTCSeconds()],
  ['microsecond', (date: Date, { micros }: DateTime) => date.getUTCMilliseconds() * 1000 + micros],
]);

const METHODS: ReadonlyMap<string, (moment: DateTime, args: readonly Val[]) => Val> = new Map([
  ['isoformat', (moment, [separator = 'T']) => moment.isoformat(requireText(separator, 'sep'))],
  ['strftime', (moment, [format = '']) => strftime(requireText(format, 'format'), moment)],
  ['timestamp', (moment) => makeFloat(moment.sortKey() / 1e6)],
  ['weekday', (moment) => (new Date(moment.millis).getUTCDay() + 6) % 7],
  ['isoweekday', (moment) => ((new Date(moment.millis).getUTCDay() + 6) % 7) + 1],
  ['date', (moment) => new DateTime(Math.floor(moment.millis / 86_400_000) * 86_400_000)],
] as (readonly [string, (moment: DateTime, args: readonly Val[]) => Val])[]);

function fieldOf(moment: DateTime, name: string): number {
  return FIELDS.get(name)?.(new Date(moment.millis), moment) ?? 0;
}

function zoneRepr(minutes: number): string {
  if (minutes === 0) return 'datetime.timezone.utc';
  return `datetime.timezone(${new TimeDelta(minutes * 60_000_000).repr()})`;
}

/** `+0200` or `+02:00`, or nothing for a moment without a zone. */
export function offsetText(minutes: number | undefined, separator = ''): string {
  if (minutes === undefined) return '';
  const size = Math.abs(minutes);
  const hours = String(Math.floor(size / 60)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${hours}${separator}${String(size % 60).padStart(2, '0')}`;
}

/** A Python timedelta. */
export class TimeDelta extends Comparable {
  readonly typeName = 'timedelta';
  readonly micros: number;

  constructor(micros: number) {
    super();
    this.micros = micros;
  }

  override sortKey(): number {
    return this.micros;
  }

  override attribute(name: string): Val | undefined {
    const days = Math.floor(this.micros / DAY_MICROS);
    const rest = this.micros - days * DAY_MICROS;
    if (name === 'days') return days;
    if (name === 'seconds') return Math.floor(rest / 1e6);
    if (name === 'microseconds') return rest % 1e6;
    if (name !== 'total_seconds') return undefined;
    return new PyFunction(name, () => makeFloat(this.micros / 1e6));
  }

  override repr(): string {
    const days = Math.floor(this.micros / DAY_MICROS);
    const rest = this.micros - days * DAY_MICROS;
    const parts = { days, seconds: Math.floor(rest / 1e6), microseconds: rest % 1e6 };
    const named = Object.entries(parts).filter(([, value]) => value !== 0);
    return `datetime.timedelta(${named.map(([name, value]) => `${name}=${value}`).join(', ') || '0'})`;
  }

  override text(): string {
    const days = Math.floor(this.micros / DAY_MICROS);
    const rest = this.micros - days * DAY_MICROS;
    const seconds = Math.floor(rest / 1e6);
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    const clock = [String(hours), two(minutes), two(seconds % 60)].join(':');
    const fraction = rest % 1e6 === 0 ? '' : `.${String(rest % 1e6).padStart(6, '0')}`;
    const plural = Math.abs(days) === 1 ? 'day' : 'days';
    return `${days === 0 ? '' : `${days} ${plural}, `}${clock}${fraction}`;
  }
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** The present moment, in UTC or in the local zone, as Python's naive datetime. */
export function nowMoment(utc: boolean): DateTime {
  return momentAt(Date.now(), utc);
}

/** The moment of a Unix time, with the fields of UTC or of the local zone. */
export function momentAt(millis: number, utc: boolean): DateTime {
  const whole = Math.floor(millis);
  const date = new Date(whole);
  if (Number.isNaN(date.getTime())) throw new TemplateError('the time is out of range');
  return new DateTime(utc ? whole : whole - date.getTimezoneOffset() * 60_000);
}
