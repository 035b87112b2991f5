/** Where the characters of a scalar's text are written, though YAML folds, indents and escapes them. */
import type { Position, TextPosition } from './values.ts';

/** How a scalar is written, as the parser names it. */
interface WrittenScalar {
  readonly type?: string | undefined;
  readonly range?: readonly [start: number, valueEnd: number, nodeEnd: number] | null | undefined;
}

/**
 * What stands for one visible character in each style, as the first group. YAML changes only the white space
 * around them, so the n-th visible character of the text is the n-th of what is written.
 */
const PLAIN = /(\S)/g;
const SINGLE_QUOTED = /(''|\S)/g;
const DOUBLE_QUOTED =
  /\\(?:[tnvfr _LP\t]|\r?\n)|(\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}|.)|\S)/gs;

function isBlock({ type }: WrittenScalar): boolean {
  return type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED';
}

/** Where the content of a scalar begins in its source, and how it is written unless that is its text. */
export function contentOf(
  source: string,
  scalar: WrittenScalar,
  text: string,
): { readonly offset: number; readonly written?: TextPosition['written'] } {
  const [start, end] = scalar.range ?? [0, 0];
  const isQuoted = scalar.type?.startsWith('QUOTE') === true;
  const first = isBlock(scalar) ? source.indexOf('\n', start) + 1 : start + Number(isQuoted);
  const content = source.slice(first, isQuoted ? end - 1 : end);
  if (content === text) return { offset: first };
  const blank = Math.max(0, content.search(/\S/));
  return { offset: first + blank, written: { text: content.slice(blank), unit: unitOf(scalar) } };
}

function unitOf({ type }: WrittenScalar): RegExp {
  if (type === 'QUOTE_DOUBLE') return DOUBLE_QUOTED;
  return type === 'QUOTE_SINGLE' ? SINGLE_QUOTED : PLAIN;
}

/** The text of a scalar. To a block at the end of a file that lacks its last newline, PyYAML adds none. */
export function blockText(source: string, scalar: WrittenScalar, text: string): string {
  const isLast = isBlock(scalar) && scalar.range?.[1] === source.length;
  const lastLine = source.slice(source.lastIndexOf('\n') + 1);
  return isLast && lastLine.trim() !== '' && text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** The place of a character of a text that begins at a position; what follows it begins there. */
export function positionAt(text: string, position: TextPosition, offset: number): TextPosition {
  const { written } = position;
  if (written === undefined) return moved(position, text.slice(0, offset));
  const start = writtenOffset(text, written, offset);
  const place = moved(position, written.text.slice(0, start));
  return { ...place, written: { ...written, text: written.text.slice(start) } };
}

/** The same place as plain data. */
export function plainPosition({ file, line, column }: TextPosition): Position {
  return { file, line, column };
}

function writtenOffset(
  text: string,
  { text: source, unit }: NonNullable<TextPosition['written']>,
  offset: number,
): number {
  const before = text.slice(0, offset).match(PLAIN)?.length ?? 0;
  const isVisible = /\S/.test(text.charAt(offset));
  let seen = 0;
  let end = 0;
  for (const match of source.matchAll(unit)) {
    if (match[1] === undefined) continue;
    if (seen === before) return isVisible ? match.index : end;
    seen += 1;
    end = match.index + match[0].length;
  }
  return end;
}

function moved({ file, line, column }: Position, before: string): Position {
  const lines = before.split('\n');
  const last = lines.at(-1) ?? '';
  return {
    file,
    line: line + lines.length - 1,
    column: (lines.length === 1 ? column : 1) + last.length,
  };
}
