/** What InfluxDB answers: annotated CSV to Flux, rows of JSON to SQL and InfluxQL. */
import { shownUrl } from '../../../shared/shown-url.ts';
import type { HttpAnswer } from '../../trigger.ts';
import { parseCsv } from './csv.ts';
import { parseJsonAnswer } from './http-source.ts';

/** `_value` of the first record. @throws {Error} where there is none, or no number. */
export function valueOfCsv(url: URL, { text }: HttpAnswer): number {
  const rows = parseCsv(text);
  const [header, record] = rows.filter(([annotation = '']) => !annotation.startsWith('#'));
  const types = rows.find(([annotation]) => annotation === '#datatype');
  const at = header?.indexOf('_value') ?? -1;
  if (header?.includes('error')) {
    throw new Error(`${shownUrl(url)} answers ${record?.[header.indexOf('error')]}`);
  }
  if (record === undefined) {
    throw new Error(`${shownUrl(url)}: the query gives no record: mend it, or its time range`);
  }
  if (at < 0) throw new Error(`${shownUrl(url)}: the query gives no column _value`);
  const isNumber = types === undefined || /^(?:double|long|unsignedLong)$/.test(types[at] ?? '');
  return toNumber(url, isNumber ? record[at] : undefined, `a ${types?.[at]} in _value`);
}

/** The column of the last row; undefined where there are no rows. @throws {Error} where it is no number. */
export function valueOfRows(url: URL, answer: HttpAnswer, column: string): number | undefined {
  const rows = parseJsonAnswer(url, answer);
  if (!Array.isArray(rows))
    throw new Error(`${shownUrl(url)} answers with something else than rows`);
  if (rows.length === 0) return undefined;
  const row = rows.at(-1) as Readonly<Record<string, unknown>> | null;
  if (row === null || typeof row !== 'object' || !Object.hasOwn(row, column)) {
    const columns = Object.keys(row ?? {}).join(', ');
    throw new Error(
      `${shownUrl(url)}: the rows have no column ${column} (metricKey), but ${columns || 'none'}`,
    );
  }
  const content = typeof row[column] === 'number' ? String(row[column]) : undefined;
  return toNumber(url, content, `no number in ${column}`);
}

function toNumber(url: URL, text: string | undefined, found: string): number {
  const value = Number(text);
  if (text !== undefined && text.trim() !== '' && Number.isFinite(value)) return value;
  throw new Error(`${shownUrl(url)}: the query gives ${text === '' ? 'nothing' : found}`);
}
