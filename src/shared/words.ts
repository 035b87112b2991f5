/** Free-form arguments: the text after the name of a module, split as Ansible splits it. */
import { decodeEscapes } from './escapes.ts';

/** What free-form text says: the text itself, and the `name=value` words taken out of it. */
export interface FreeForm {
  readonly text: string;
  readonly options: Readonly<Record<string, string>>;
  /** Why the text cannot be split: an open quote or Jinja block. The text is then whole. */
  readonly problem?: string;
}

/**
 * Takes the options out of a free-form argument (`command: ls creates=/x`). Words end at blanks outside quotes and
 * outside `{{ }}`, `{% %}`, `{# #}`; a `\` alone at the end of a line joins the lines. `names` are the options to take; `any` takes every `name=value` word.
 */
export function parseFreeForm(text: string, names: readonly string[] | 'any'): FreeForm {
  const spans = splitSpans(text);
  if (spans === undefined) {
    return { text, options: {}, problem: 'the text has an open quote or an open Jinja block' };
  }
  const words = joinedLines(text, spans).map((each) => ({
    ...each,
    option: readOption(each.word, names),
  }));
  const rest = withoutOptions(words, text.slice(spans.at(-1)?.end ?? 0));
  const options = words.flatMap(({ option }) => (option === undefined ? [] : [option]));
  return { text: rest.trim() === '' ? '' : rest, options: Object.fromEntries(options) };
}

interface Word {
  readonly gap: string;
  readonly word: string;
  readonly option: readonly [string, string] | undefined;
}

/** The words that are no options; an option goes with the blanks after it. */
function withoutOptions(words: readonly Word[], tail: string): string {
  let rest = '';
  let open: string | undefined;
  for (const { gap, word, option } of words) {
    const before = open ?? gap;
    open = option === undefined ? undefined : before;
    if (option === undefined) rest += before + unescapeEquals(word);
  }
  return rest + (open?.replace(/ $/, '') ?? tail);
}

/** The first word of a text; braces and quotes hold words together. */
export function firstWord(text: string): string {
  const [first] = splitSpans(text) ?? [];
  return first === undefined
    ? (text.trim().split(/\s/)[0] ?? '')
    : text.slice(first.start, first.end);
}

/** The words with what stands before each, less the `\` that end lines. */
function joinedLines(text: string, spans: readonly Span[]): { gap: string; word: string }[] {
  const words: { gap: string; word: string }[] = [];
  let end = 0;
  let isContinued = false;
  for (const span of spans) {
    const word = text.slice(span.start, span.end);
    const between = text.slice(end, span.start);
    const gap = isContinued ? between.replace('\n', '') || ' ' : between;
    isContinued = word === '\\' && text.charAt(span.end) === '\n';
    if (!isContinued) words.push({ gap, word });
    end = span.end;
  }
  return words;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the words are; undefined when a quote or a block stays open. */
function splitSpans(text: string): Span[] | undefined {
  const spans: Span[] = [];
  for (let i = 0; i < text.length; ) {
    if (isBlank(text, i)) {
      i++;
      continue;
    }
    const end = endOfWord(text, i);
    if (end === undefined) return undefined;
    spans.push({ start: i, end });
    i = end;
  }
  return spans;
}

function endOfWord(text: string, start: number): number | undefined {
  let quote = '';
  let i = start;
  while (i < text.length) {
    if (quote === '' && isBlank(text, i)) break;
    const block = endOfBlock(text, i);
    if (block === undefined) return undefined;
    if (block === i) quote = nextQuote(quote, text.charAt(i));
    i = Math.max(block, isEscape(text, i) ? i + 2 : i + 1);
  }
  return quote === '' ? i : undefined;
}

const isBlank = (text: string, i: number) => text.charAt(i) === ' ' || text.charAt(i) === '\n';

function isEscape(text: string, i: number): boolean {
  return text.charAt(i) === '\\' && /["'\\]/.test(text.charAt(i + 1));
}

function nextQuote(open: string, char: string): string {
  if (char !== '"' && char !== "'") return open;
  if (open === '') return char;
  return open === char ? '' : open;
}

/** End of the Jinja block that starts here, or `start` where none does; undefined when it stays open. */
function endOfBlock(text: string, start: number): number | undefined {
  const close = { '{{': '}}', '{%': '%}', '{#': '#}' }[text.slice(start, start + 2)];
  if (close === undefined) return start;
  for (let i = start + 2; i < text.length; i++) {
    if (text.startsWith(close, i)) return i + 2;
    const char = text.charAt(i);
    if (close !== '#}' && (char === '"' || char === "'")) {
      const end = text.indexOf(char, i + 1);
      if (end < 0) return undefined;
      i = end;
    }
  }
  return undefined;
}

function readOption(word: string, names: readonly string[] | 'any'): [string, string] | undefined {
  // A name may be a template too: `set_fact: "{{ prefix }}_port=80"`.
  const [, name, value = ''] = /^((?!\d)(?:\w|\{\{[\s\S]*?\}\})+)=([\s\S]*)$/.exec(word) ?? [];
  if (name === undefined || (names !== 'any' && !names.includes(name))) return undefined;
  return [name, unquote(decodeEscapes(value))];
}

function unescapeEquals(word: string): string {
  return /(^|[^\\])=/.test(word) ? word : word.replaceAll('\\=', '=');
}

function unquote(value: string): string {
  const match = /^(["'])([\s\S]*)\1$/.exec(value);
  return match === null || value.at(-2) === '\\' ? value : (match[2] ?? '');
}
