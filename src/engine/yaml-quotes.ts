/** Quotes that are never closed: the author looks for the fault where they open. */
import type { SyntaxFault } from './yaml-problem.ts';

const NEVER_CLOSED = /^Missing closing ["']quote/;

interface Parsed {
  readonly errors: readonly SyntaxFault[];
  readonly contents: unknown;
}

/** The faults of a document, one of a quote where it opens; what comes after it is an echo. */
export function atOpeningQuotes({ errors, contents }: Parsed): readonly SyntaxFault[] {
  const faults = errors.map(({ code, message, pos }) => ({ code, message, pos }));
  const open = faults.find(({ message }) => NEVER_CLOSED.test(message));
  if (open === undefined) return faults;
  const [end] = open.pos;
  const start = Math.max(...quotesIn(contents).filter((offset) => offset <= end), 0);
  const before = faults.filter(({ pos: [at] }) => at < end);
  return [...before, { code: 'OPEN_QUOTE', message: 'unclosed', pos: [start, start + 1] }];
}

/** What nodes and pairs of the tree may have. */
interface TreeNode {
  readonly type: unknown;
  readonly range: readonly number[];
  readonly items: readonly unknown[];
  readonly key: unknown;
  readonly value: unknown;
}

/** Where quoted texts begin. */
function quotesIn(node: unknown): number[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, range, items = [], key, value } = node as Partial<TreeNode>; // Any node of the tree.
  const own = /^QUOTE/.test(String(type)) ? (range?.slice(0, 1) ?? []) : [];
  return [...own, ...[...items, key, value].flatMap(quotesIn)];
}
