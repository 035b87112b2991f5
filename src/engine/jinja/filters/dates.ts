import { Timestamp } from '../../values.ts';
import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { momentAt } from '../moments.ts';
import { isNumber, toNumber } from '../numbers.ts';
import { isText, type Runtime, type Val } from '../objects.ts';
import { type CalendarMoment, strftime } from '../strftime.ts';
import { strptime } from '../strptime.ts';
import { requireText, textOf } from '../text.ts';
import { parseFloatText } from './convert.ts';

function secondsOf(runtime: Runtime, value: Val): number {
  if (value === null) {
    runtime.requireImpure('strftime without a time');
    return Date.now() / 1000;
  }
  const seconds = isNumber(value)
    ? toNumber(value)
    : isText(value)
      ? parseFloatText(textOf(value))
      : undefined;
  if (seconds === undefined || !Number.isFinite(seconds)) {
    throw new TemplateError(`${textOf(value)} is no time in seconds`);
  }
  return Math.floor(seconds);
}

/** The moment as C's struct tm shows it: with its zone. */
function zonedMoment(millis: number, utc: boolean): CalendarMoment {
  const { millis: shown, micros } = momentAt(millis, utc);
  if (utc) return { millis: shown, micros, offsetMinutes: 0, zone: 'GMT' };
  const date = new Date(millis);
  const zone = date.toLocaleTimeString('en-US', { timeZoneName: 'short' }).split(' ').at(-1);
  return { millis: shown, micros, offsetMinutes: -date.getTimezoneOffset(), zone };
}

/** Filters of dates and times. */
export const dateFilters: readonly Builtin[] = [
  define('strftime', 'format, second=None, utc=False', (runtime, format, second, utc) => {
    const millis = secondsOf(runtime, second) * 1000;
    return strftime(requireText(format, 'the format'), zonedMoment(millis, truthy(utc)));
  }),
  define('to_datetime', "value, format='%Y-%m-%d %H:%M:%S'", (_runtime, value, format) => {
    const text = value instanceof Timestamp ? value.text : requireText(value, 'the date');
    return strptime(text, requireText(format, 'format'));
  }),
];
