import { Timestamp } from '../../values.ts';
import { type Builtin, define } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { TemplateError } from '../errors.ts';
import { momentAt } from '../moments.ts';
import { isNumber, toNumber } from '../numbers.ts';
import { isText, type Val } from '../objects.ts';
import type { Runtime } from '../runtime.ts';
import { strftime } from '../strftime.ts';
import { strptime } from '../strptime.ts';
import { requireText, textOf } from '../text.ts';
import { parseFloatText } from './convert.ts';

function secondsOf(runtime: Runtime, value: Val): number {
  if (value === null) {
    runtime.requireImpure('strftime without a time');
    return Date.now() / 1000;
  }
  const seconds = isNumber(value) ? toNumber(value) : isText(value) ? parseFloatText(textOf(value)) : undefined;
  if (seconds === undefined || !Number.isFinite(seconds)) {
    throw new TemplateError(`${textOf(value)} is no time in seconds`);
  }
  return Math.floor(seconds);
}

/** Filters of dates and times. */
export const dateFilters: readonly Builtin[] = [
  define('strftime', 'format, second=None, utc=False', (runtime, format, second, utc) => {
    const moment = momentAt(secondsOf(runtime, second) * 1000, truthy(utc));
    return strftime(requireText(format, 'the format'), moment);
  }),
  define('to_datetime', "value, format='%Y-%m-%d %H:%M:%S'", (_runtime, value, format) => {
    const text = value instanceof Timestamp ? value.text : requireText(value, 'the date');
    return strptime(text, requireText(format, 'format'));
  }),
];
