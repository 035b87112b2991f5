/** Values of triggers that depend on nothing but the clock. */
import { readParameters } from '../read-parameters.ts';
import type { ScaledObject } from '../resources/scaled-object.ts';
import type { AnyTrigger } from '../trigger.ts';
import type { Series, SeriesRow } from './series.ts';
import { columnNames } from './subject.ts';

const MINUTE_MS = 60_000;

/**
 * What the triggers of an object that is known to be valid say from `start` on, looked at whenever a minute begins.
 * @throws {Error} naming those whose values only their source knows.
 */
export function clockSeries(
  object: ScaledObject,
  registry: Readonly<Record<string, AnyTrigger>>,
  start: Date,
  durationMs: number,
): Series {
  const { triggers } = object.spec;
  const unknown = triggers.filter(({ type }) => registry[type]?.readingAt === undefined);
  if (unknown.length > 0) {
    const types = unknown.map(({ type }) => type).join(', ');
    throw new Error(`what ${types} would say only values tell: give --values`);
  }
  const readers = triggers.map(({ type, metadata }) => readerOf(registry[type], metadata));
  const columns = triggers.map((spec, index) => columnNames(spec, index, triggers)[0] ?? '');
  const rows: SeriesRow[] = [];
  for (const atMs of minutes(start, durationMs)) {
    const values = readers.map((read) => read(new Date(start.getTime() + atMs)));
    const last = rows.at(-1)?.values;
    if (values.some((value, index) => value !== last?.[index])) rows.push({ atMs, values });
  }
  return { columns, rows };
}

function readerOf(
  trigger: AnyTrigger | undefined,
  metadata: Readonly<Record<string, string>>,
): (now: Date) => number | undefined {
  const sources = { metadata, authentication: {}, environment: {} };
  const { values } = readParameters(trigger?.parameters ?? {}, sources);
  return (now) => trigger?.readingAt?.(values, now).value;
}

/** The start, and each beginning of a minute after it. */
function minutes(start: Date, durationMs: number): readonly number[] {
  const first = MINUTE_MS - (start.getTime() % MINUTE_MS);
  const count = Math.max(0, Math.floor((durationMs - first) / MINUTE_MS) + 1);
  return [0, ...Array.from({ length: count }, (_, index) => first + index * MINUTE_MS)];
}
