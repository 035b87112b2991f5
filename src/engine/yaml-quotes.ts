/** Quotes that are never closed: the author looks for the fault where they open. */
import type { SyntaxFault } from './yaml-problem.ts';

const NEVER_CLOSED = /^Missing closing ["']quote/;

/** The faults of a document, one of a quote where it opens; what comes after it is an echo. */
export function atOpeningQuotes(
  faults: readonly SyntaxFault[],
  quotes: readonly number[],
): readonly SyntaxFault[] {
  const open = faults.find(({ message }) => NEVER_CLOSED.test(message));
  if (open === undefined) return faults;
  const [end] = open.pos;
  const start = quotes.findLast((offset) => offset <= end) ?? end;
  const before = faults.filter(({ pos: [at] }) => at < end);
  return [...before, { code: 'OPEN_QUOTE', message: 'unclosed', pos: [start, start + 1] }];
}
