const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The number in the first column of the first row.
 * @param rows Cells as text, null for SQL's NULL.
 * @throws {Error} where there is no row, a NULL or no finite number: none of these means 0.
 */
export function readSqlNumber(rows: readonly (readonly (string | null)[])[]): number {
  const [row] = rows;
  if (row === undefined) throw new Error(`the query gives no row: ${CURE}`);
  const [cell] = row;
  if (cell === undefined) throw new Error(`the query gives no column: ${CURE}`);
  if (cell === null) throw new Error(`the query gives NULL: ${CURE}`);
  if (!NUMBER.test(cell.trim())) throw new Error(`the query gives "${cell}", no number: ${CURE}`);
  return Number(cell);
}

const CURE = 'its first row must start with a number (COALESCE gives one in place of NULL)';
