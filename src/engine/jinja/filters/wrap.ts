import { charge } from '../budget.ts';
import { TemplateError } from '../errors.ts';
import { partsOf, sliceText, textLength } from '../text.ts';

export interface WrapRules {
  readonly width: number;
  /** Whether a word longer than a line is cut. */
  readonly breakLong: boolean;
  /** Whether a line may end after a hyphen. */
  readonly hyphens: boolean;
}

/** One paragraph in lines no longer than the width, broken as Python's textwrap breaks them. */
export function wrapLines(text: string, rules: WrapRules): readonly string[] {
  if (rules.width <= 0) throw new TemplateError('the width must be positive');
  const chunks = split(text, rules.hyphens).reverse();
  const lines: string[] = [];
  while (chunks.length > 0) {
    if (lines.length > 0 && chunks.at(-1)?.trim() === '') chunks.pop();
    const line = takeLine(chunks, rules);
    if (line.length > 0) lines.push(line.join(''));
  }
  return lines;
}

function split(text: string, hyphens: boolean): string[] {
  const words = partsOf(text, /(\s+)/).filter((chunk) => chunk !== '');
  if (!hyphens) return words;
  return words.flatMap((word) => word.split(/(?<=[\p{L}\p{N}_]-)(?=[\p{L}_])/u));
}

/** Takes the next line's chunks from the end of the list, where the text's beginning is. */
function takeLine(chunks: string[], rules: WrapRules): string[] {
  const line: string[] = [];
  let length = 0;
  while (chunks.length > 0 && length + textLength(chunks.at(-1) ?? '') <= rules.width) {
    const chunk = chunks.pop() ?? '';
    line.push(chunk);
    length += textLength(chunk);
  }
  const next = chunks.at(-1);
  if (next !== undefined && textLength(next) > rules.width) breakWord(chunks, line, rules, length);
  if (line.at(-1)?.trim() === '') line.pop();
  return line;
}

function breakWord(chunks: string[], line: string[], rules: WrapRules, used: number): void {
  const word = chunks.at(-1) ?? '';
  charge(word.length);
  if (!rules.breakLong) {
    if (line.length === 0) line.push(chunks.pop() ?? '');
    return;
  }
  const space = Math.max(1, rules.width - used);
  const cut = rules.hyphens ? hyphenCut(word, space) : space;
  line.push(sliceText(word, 0, cut));
  chunks[chunks.length - 1] = sliceText(word, cut);
}

/** After the last hyphen within the space, where something other than hyphens precedes it. */
function hyphenCut(word: string, space: number): number {
  const hyphen = sliceText(word, 0, space).lastIndexOf('-');
  return hyphen > 0 && /[^-]/.test(word.slice(0, hyphen)) ? hyphen + 1 : space;
}
