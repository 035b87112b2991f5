/** Editing a marked block of lines as Ansible's blockinfile does. Texts are latin1, one character per byte. */
import { bytesRegex, splitLines, terminated, toBytes } from './line-edit.ts';

export interface BlockWish {
  /** Text between the markers; empty removes the block. */
  readonly block: string;
  /** The two marker lines. */
  readonly begin: string;
  readonly end: string;
  readonly insertAfter?: string | undefined;
  readonly insertBefore?: string | undefined;
  readonly appendNewline: boolean;
  readonly prependNewline: boolean;
}

/** Puts the block between its markers, or removes both. Throws RegexSyntaxError. */
export function editBlock(text: string, wish: BlockWish): string {
  const lines = splitLines(text);
  const old = findBlock(lines, wish);
  if (wish.block === '') {
    if (old === undefined) return text;
    return [...lines.slice(0, old.from), ...lines.slice(old.to)].join('');
  }
  const at = old?.from ?? insertionPoint(text, lines, wish);
  const before = splitLines(terminated(lines.slice(0, at).join('')));
  return joined(before, blockLines(wish), lines.slice(old?.to ?? at), wish);
}

/** The last line that is each marker, in either order. */
function findBlock(
  lines: readonly string[],
  { begin, end }: BlockWish,
): { from: number; to: number } | undefined {
  const last = (marker: string) => lines.findLastIndex((line) => terminated(line) === marker);
  const [first, second] = [last(toBytes(`${begin}\n`)), last(toBytes(`${end}\n`))];
  if (first === -1 || second === -1) return undefined;
  return { from: Math.min(first, second), to: Math.max(first, second) + 1 };
}

function blockLines({ block, begin, end }: BlockWish): string[] {
  return splitLines(toBytes(`${begin}\n${terminated(block)}${end}\n`));
}

function joined(
  before: readonly string[],
  block: readonly string[],
  after: readonly string[],
  { appendNewline, prependNewline }: BlockWish,
): string {
  const isFull = (line: string | undefined) => line !== undefined && !/^[\r\n]*$/.test(line);
  const above = prependNewline && isFull(before.at(-1)) ? ['\n'] : [];
  const below = appendNewline && isFull(after[0]) ? ['\n'] : [];
  return [...before, ...above, ...block, ...below, ...after].join('');
}

function insertionPoint(text: string, lines: readonly string[], wish: BlockWish): number {
  const { insertAfter, insertBefore } = wish;
  if (insertBefore === 'BOF') return 0;
  const pattern = insertBefore ?? insertAfter;
  if (pattern === undefined || insertAfter === 'EOF') return lines.length;
  const isAfter = insertBefore === undefined;
  const at = pattern.includes('(?m)')
    ? lineOfMatch(text, pattern, isAfter)
    : lines.findLastIndex((line) => bytesRegex(pattern).search(line) !== undefined);
  if (at === -1) return lines.length;
  return isAfter ? at + 1 : at;
}

/** The line in which the last match over the whole text begins, or ends. */
function lineOfMatch(text: string, pattern: string, byEnd: boolean): number {
  const last = [...bytesRegex(pattern).findAll(text)].at(-1);
  if (last === undefined) return -1;
  return text.slice(0, byEnd ? last.end : last.start).split('\n').length - 1;
}
