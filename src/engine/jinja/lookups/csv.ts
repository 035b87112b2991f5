/** The rows of a CSV text. Cells may be quoted; a doubled quote inside is one quote. */
export function parseCsv(text: string, delimiter: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const cell = readCell(text, at, delimiter);
    row.push(cell.value);
    at = cell.end;
    if (text.startsWith(delimiter, at)) {
      at += delimiter.length;
      if (at === text.length) row.push('');
      continue;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    rows.push(row);
    row = [];
  }
  return row.length > 0 ? [...rows, row] : rows;
}

function readCell(text: string, start: number, delimiter: string): { value: string; end: number } {
  let value = '';
  let at = start;
  if (text[at] === '"') {
    const quoted = /"((?:[^"]|"")*)"?/y;
    quoted.lastIndex = at;
    const match = quoted.exec(text);
    value = (match?.[1] ?? '').replaceAll('""', '"');
    at += match?.[0].length ?? 0;
  }
  const from = at;
  while (
    at < text.length &&
    !text.startsWith(delimiter, at) &&
    text[at] !== '\n' &&
    text[at] !== '\r'
  )
    at += 1;
  return { value: value + text.slice(from, at), end: at };
}
