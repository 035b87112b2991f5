/** Spans of time in formulas. */
import { parseDuration } from '../../shared/duration.ts';
import { FormulaFault, KindFault } from './formula-error.ts';
import { type Code, Duration, expecting, type Frame, type Value } from './values.ts';

/** Nanoseconds of what the methods of a duration count. */
const UNITS: Readonly<Record<string, number>> = {
  Hours: 3.6e12,
  Minutes: 6e10,
  Seconds: 1e9,
  Milliseconds: 1e6,
  Microseconds: 1e3,
  Nanoseconds: 1,
};
/** These give integers. */
const WHOLE = new Set(['Milliseconds', 'Microseconds', 'Nanoseconds']);

/** Throws RangeError. */
export function toDuration(text: string): Duration {
  const sign = text.startsWith('-') ? -1 : 1;
  const milliseconds = text === '0' ? 0 : parseDuration(text.replace(/^[-+]/, ''));
  if (milliseconds === undefined) throw new RangeError(`"${text}" is no duration, such as 1h30m`);
  return new Duration(sign * Math.round(milliseconds * 1e6));
}

/** `duration("1h").Minutes()`. */
export function methodOf(name: string, object: Code, start: number): Code {
  const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
  if (unit === undefined) {
    const cure = `durations have ${Object.keys(UNITS).join(', ')}`;
    throw new FormulaFault(`there is no method ${name}`, start, cure);
  }
  const isWhole = WHOLE.has(name);
  const of = expecting(object, 'duration');
  const run = (frame: Frame) => {
    const count = of(frame).nanoseconds / unit;
    return isWhole ? Math.trunc(count) : count;
  };
  return { start, kind: 'number', isWhole, run };
}

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
};

/** Sums and differences of durations, and durations so many times; undefined where no operand is one. */
export function durationArithmetic(operator: string, left: Code, right: Code): Code | undefined {
  const isDuration = [left, right].map(({ kind }) => kind === 'duration');
  const apply = ARITHMETIC[operator];
  if (apply === undefined || !isDuration.includes(true)) return undefined;
  const isAlike = operator === '+' || operator === '-';
  if (isAlike && isDuration.includes(false)) {
    throw new KindFault('a duration and something else do not go together', left.start);
  }
  const run = (frame: Frame) =>
    new Duration(apply(amount(left.run(frame)), amount(right.run(frame))));
  return { start: left.start, kind: 'duration', run };
}

function amount(value: Value): number {
  return value instanceof Duration ? value.nanoseconds : Number(value);
}
