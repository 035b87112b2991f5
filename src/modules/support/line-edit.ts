/**
 * Editing lines of a file as Ansible's lineinfile does. Texts are latin1: one character per byte, so that a file in
 * any encoding comes through unharmed.
 */
import { PythonRegex, type RegexMatch, RegexSyntaxError } from '../../shared/python-regex.ts';

/** Which line is meant, and where it goes. */
export interface LineWish {
  readonly line?: string | undefined;
  readonly regexp?: string | undefined;
  readonly searchString?: string | undefined;
  /** A pattern, `EOF` or `BOF`. */
  readonly insertAfter?: string | undefined;
  readonly insertBefore?: string | undefined;
  readonly firstMatch: boolean;
  readonly backrefs: boolean;
}

/** A text after an edit, and what was done in Ansible's words (empty where nothing was). */
export interface LineEdit {
  readonly text: string;
  readonly message: string;
  /** How many lines were removed. */
  readonly found?: number;
}

/** A run of whole lines of the file. */
interface Span {
  readonly at: number;
  readonly count: number;
  readonly match?: RegexMatch | undefined;
}

/** The bytes of a text as latin1. */
export function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** A pattern over bytes, as in Ansible's file modules. Throws RegexSyntaxError. */
export function bytesRegex(pattern: string): PythonRegex {
  try {
    return new PythonRegex(toBytes(pattern), { ascii: true });
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    throw new RegexSyntaxError(`"${pattern}" is not a Python pattern: ${error.message}`);
  }
}

/** Makes sure that the line is there. Throws RegexSyntaxError. */
export function putLine(text: string, wish: LineWish): LineEdit {
  const lines = splitLines(text);
  const spans = matching(lines, wish);
  const chosen = wish.firstMatch ? spans[0] : spans.at(-1);
  if (chosen !== undefined) return replace(text, lines, chosen, wish);
  const isThere = exact(lines, wish.line ?? '').length > 0;
  if (wish.backrefs || isThere) return { text, message: '' };
  const at = insertionPoint(lines, wish);
  const before = lines.slice(0, at).join('');
  const added = `${toBytes(wish.line ?? '')}\n`;
  return { text: terminated(before) + added + lines.slice(at).join(''), message: 'line added' };
}

/** Removes every line that is meant. Throws RegexSyntaxError. */
export function dropLines(text: string, wish: LineWish): LineEdit {
  const lines = splitLines(text);
  const spans = matching(lines, wish);
  const dropped = new Set(
    spans.flatMap(({ at, count }) => Array.from({ length: count }, (_, i) => at + i)),
  );
  const kept = lines.filter((_, i) => !dropped.has(i));
  const message = dropped.size > 0 ? `${dropped.size} line(s) removed` : '';
  return { text: kept.join(''), message, found: dropped.size };
}

function replace(text: string, lines: readonly string[], span: Span, wish: LineWish): LineEdit {
  const line = toBytes(wish.line ?? '');
  const isExact = wish.regexp === undefined && wish.searchString === undefined;
  const expanded =
    wish.backrefs && span.match !== undefined
      ? bytesRegex(wish.regexp ?? '').expand(line, span.match)
      : line;
  const edited = [
    ...lines.slice(0, span.at),
    !isExact && expanded.endsWith('\n') ? expanded : `${expanded}\n`,
    ...lines.slice(span.at + span.count),
  ].join('');
  return { text: edited, message: edited === text ? '' : 'line replaced' };
}

function matching(lines: readonly string[], { line = '', regexp, searchString }: LineWish): Span[] {
  if (regexp !== undefined) {
    const regex = bytesRegex(regexp);
    const found = lines.map((each, at) => ({ at, count: 1, match: regex.search(each) }));
    return found.filter(({ match }) => match !== undefined);
  }
  if (searchString === undefined) return exact(lines, line);
  const wanted = toBytes(searchString);
  return lines.flatMap((each, at) => (each.includes(wanted) ? [{ at, count: 1 }] : []));
}

/** Where the file has the line; one that contains line breaks is several lines in a row. */
function exact(lines: readonly string[], line: string): Span[] {
  const wanted = toBytes(line).split('\n');
  const isAt = (at: number) =>
    wanted.every((each, i) => lines[at + i]?.replace(/[\r\n]+$/, '') === each.replace(/\r+$/, ''));
  return lines.flatMap((_, at) => (isAt(at) ? [{ at, count: wanted.length }] : []));
}

function insertionPoint(lines: readonly string[], wish: LineWish): number {
  const pattern = wish.insertBefore || wish.insertAfter;
  if (pattern === 'BOF') return 0;
  if (!pattern || wish.insertAfter === 'EOF') return lines.length;
  const regex = bytesRegex(pattern);
  const isMatch = (each: string) => regex.search(each) !== undefined;
  const at = wish.firstMatch ? lines.findIndex(isMatch) : lines.findLastIndex(isMatch);
  if (at === -1) return lines.length;
  return wish.insertBefore ? at : at + 1;
}

/** Lines with their line breaks. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The text with a line break at its end, unless it is empty. */
export function terminated(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
