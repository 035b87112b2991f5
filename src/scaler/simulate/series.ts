/** Values of triggers over time, as a table of comma-separated values. */
import { parseLongDuration } from '../../shared/duration.ts';
import { InvalidInput, type Problem } from '../../shared/errors.ts';
import { parseQuantity } from '../../shared/quantity.ts';

export interface Series {
  /** Titles of the columns after the first. */
  readonly columns: readonly string[];
  /** In order of time, the first at 0. */
  readonly rows: readonly SeriesRow[];
}

export interface SeriesRow {
  readonly atMs: number;
  /** One for each column; undefined where the source cannot be read. A value holds until the next row. */
  readonly values: readonly (number | undefined)[];
}

/**
 * Reads a table: the first column is the time (seconds, a duration such as `1m30s` or `1d`, or a moment in ISO 8601), each
 * other one the values of a trigger. An empty cell is a source that cannot be read.
 * @throws {InvalidInput} with every problem and its line.
 */
export function parseSeries(text: string, file: string): Series {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line, number: index + 1 }));
  const [head, ...body] = lines.filter(({ line }) => line.trim() !== '' && !line.startsWith('#'));
  const columns = head === undefined ? [] : cellsOf(head.line).slice(1);
  if (head === undefined || columns.length === 0) {
    throw InvalidInput.at(
      { file, line: head?.number ?? 1, column: 1 },
      'the first line must name the columns: the time, then triggers',
    );
  }
  const problems: Problem[] = [];
  const rows: SeriesRow[] = [];
  for (const { line, number } of body) {
    const read = readRow(cellsOf(line), columns.length, rows.at(-1)?.atMs);
    if (typeof read === 'string') {
      problems.push({ place: { file, line: number, column: 1 }, message: read });
    } else rows.push(read);
  }
  if (body.length === 0) {
    problems.push({
      place: { file, line: head.number, column: 1 },
      message: 'there are no values',
    });
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  const startMs = rows[0]?.atMs ?? 0;
  return { columns, rows: rows.map((row) => ({ ...row, atMs: row.atMs - startMs })) };
}

/** The values that hold at a moment. */
export function valuesAt({ rows }: Series, nowMs: number): SeriesRow['values'] {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((rows[middle]?.atMs ?? 0) <= nowMs) low = middle + 1;
    else high = middle;
  }
  return rows[low - 1]?.values ?? [];
}

function cellsOf(line: string): string[] {
  return line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}

function readRow(
  [time = '', ...cells]: readonly string[],
  count: number,
  previousMs: number | undefined,
): SeriesRow | string {
  const atMs = parseTime(time);
  if (atMs === undefined) {
    return `"${time}" is no time: write seconds, a duration such as 1m30s, or a moment such as 2026-01-02T03:04:05Z`;
  }
  if (previousMs !== undefined && atMs <= previousMs)
    return `"${time}" is not after the line before`;
  if (cells.length > count) return `there are ${cells.length} values for ${count} columns`;
  const values = Array.from({ length: count }, (_, index) => cells[index] ?? '');
  const wrong = values.find((cell) => cell !== '' && parseQuantity(cell) === undefined);
  if (wrong !== undefined) return `"${wrong}" is no number`;
  return { atMs, values: values.map((cell) => parseQuantity(cell)) };
}

function parseTime(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  const duration = parseLongDuration(text);
  if (duration !== undefined) return duration;
  const moment = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}
