import { table } from './table.ts';

/** Durations as Go writes them: `1h30m`, `500ms`, `1.5s`. */

const UNITS_MS: Readonly<Record<string, number>> = table({
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
});
const DAY_MS = 86_400_000;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gy;

/** Milliseconds of a duration text, or undefined where the text is none. Signs are refused. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  let milliseconds = 0;
  let end = 0;
  for (const [whole, amount, unit] of text.matchAll(PART)) {
    milliseconds += Number(amount) * (UNITS_MS[unit ?? ''] ?? 0);
    end += whole.length;
  }
  return end > 0 && end === text.length ? milliseconds : undefined;
}

/** As `parseDuration`, with days before the rest: `3d`, `1d12h`. */
export function parseLongDuration(text: string): number | undefined {
  const [, days, rest = ''] = /^(\d+(?:\.\d+)?)d(.*)$/.exec(text) ?? [];
  if (days === undefined) return parseDuration(text);
  const others = rest === '' ? 0 : parseDuration(rest);
  return others === undefined ? undefined : Number(days) * DAY_MS + others;
}
