/** A simulated timeline as a table of changes, and as comma-separated values. */
import type { Timeline } from './timeline.ts';

const DAY_MS = 86_400_000;

/** One line for each change, under its titles; a sentence where there is none. */
export function renderTable({ changes, points, columns }: Timeline): string {
  const last = points.at(-1);
  const end = last === undefined ? '' : `${formatTime(last.atMs)}: ${last.replicas} replicas`;
  if (changes.length === 0) return `The number of replicas never changes.\n${end}\n`;
  const rows = changes.map(({ atMs, by, from, to, reason }) => {
    const values = points.find((point) => point.atMs === atMs)?.values ?? [];
    const cells = columns.map((_, index) => formatValue(values[index]));
    return [formatTime(atMs), by, `${from} → ${to}`, ...cells, reason];
  });
  return `${alignColumns([['time', 'by', 'replicas', ...columns, 'reason'], ...rows])}\n${end}\n`;
}

/** One line for each poll and sync: seconds, replicas, ready replicas, values. */
export function renderCsv({ points, columns }: Timeline): string {
  const rows = points.map(({ atMs, replicas, readyReplicas, values }) =>
    [atMs / 1000, replicas, readyReplicas, ...columns.map((_, index) => values[index] ?? '')].join(
      ',',
    ),
  );
  return `${['seconds', 'replicas', 'ready', ...columns].join(',')}\n${rows.join('\n')}\n`;
}

/** `1h02m03s`, and from two days on `2d 01h02m03s`. */
export function formatTime(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY_MS);
  if (days < 2) return formatHours(milliseconds);
  const rest = milliseconds - days * DAY_MS;
  return rest < 1000 ? `${days}d` : `${days}d ${formatHours(rest)}`;
}

function formatHours(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  if (hours > 0) return `${hours}h${two(minutes)}m${two(seconds % 60)}s`;
  return minutes > 0 ? `${minutes}m${two(seconds % 60)}s` : `${seconds}s`;
}

function formatValue(value: number | undefined): string {
  return value === undefined ? '?' : String(value);
}

function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
