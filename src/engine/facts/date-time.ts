import { sh } from '../../shared/shell.ts';
import { type Collector, lines } from './collector.ts';

const SECONDS_PER_YEAR = 31_557_600;

/** The time of gathering on the host, in its own zone and in UTC. */
export const dateTime: Collector = {
  name: 'date_time',

  script: sh`s date; date '+%s|%N|%Y|%m|%d|%H|%M|%S|%A|%w|%W|%Z|%z'
e=$(date +%s); e=$((e / ${SECONDS_PER_YEAR} * ${SECONDS_PER_YEAR}))
date -d "@$e" '+%z|%Z'; date -d "@$((e + ${SECONDS_PER_YEAR / 2}))" '+%z|%Z'`,

  parse(sections) {
    const [now = '', winter = '', summer = ''] = lines(sections, 'date');
    const [epoch = '0', nanos = '', year, month, day, hour, minute, second, ...rest] =
      now.split('|');
    const [weekday, weekday_number, weeknumber, tz, tz_offset] = rest;
    const micros = /^\d{9}$/.test(nanos) ? nanos.slice(0, 6) : '000000';
    const utc = new Date(Number(epoch) * 1000).toISOString().slice(0, 19);
    const short = `${year}${month}${day}T${hour}${minute}${second}`;
    return {
      date_time: {
        year,
        month,
        weekday,
        weekday_number,
        weeknumber,
        day,
        hour,
        minute,
        second,
        epoch,
        epoch_int: epoch,
        date: `${year}-${month}-${day}`,
        time: `${hour}:${minute}:${second}`,
        iso8601_micro: `${utc}.${micros}Z`,
        iso8601: `${utc}Z`,
        iso8601_basic: `${short}${micros}`,
        iso8601_basic_short: short,
        tz,
        tz_dst: summerTimeName(winter, summer) ?? tz,
        tz_offset,
      },
    };
  },
};

/** Of the zone's two names, that of the larger offset. */
function summerTimeName(january: string, july: string): string | undefined {
  const [one = '', first] = january.split('|');
  const [other = '', second] = july.split('|');
  return offsetMinutes(one) > offsetMinutes(other) ? first : second;
}

function offsetMinutes(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(offset) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}
