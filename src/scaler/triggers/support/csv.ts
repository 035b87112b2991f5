/** Rows of comma-separated values (RFC 4180): fields in quotes may hold commas, line breaks and doubled quotes. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', separator] of text.matchAll(FIELD)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (separator === ',') continue;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
