/** Free-form arguments: the text after the name of a module, split as Ansible splits it. */

/** What free-form text says: the text itself, and the `name=value` words taken out of it. */
export interface FreeForm {
  readonly text: string;
  readonly options: Readonly<Record<string, string>>;
  /** Why the text cannot be split: an open quote or Jinja block. The text is then whole. */
  readonly problem?: string;
}

/**
 * Takes the options out of a free-form argument (`command: ls creates=/x`). Words end at blanks outside quotes and
 * outside `{{ }}`, `{% %}`, `{# #}`. `names` are the options to take; `any` takes every `name=value` word.
 */
export function parseFreeForm(text: string, names: readonly string[] | 'any'): FreeForm {
  const spans = splitSpans(text);
  if (spans === undefined) {
    return { text, options: {}, problem: 'the text has an open quote or an open Jinja block' };
  }
  const options: [string, string][] = [];
  let rest = '';
  let end = 0;
  for (const span of spans) {
    const word = text.slice(span.start, span.end);
    const option = readOption(word, names);
    const gap = text.slice(end, span.start);
    if (option === undefined) rest += (rest === '' && end > 0 ? '' : gap) + unescapeEquals(word);
    else options.push(option);
    if (option !== undefined && gap.includes('\n')) rest += '\n';
    end = span.end;
  }
  rest += text.slice(end);
  return { text: rest.trim() === '' ? '' : rest, options: Object.fromEntries(options) };
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

function isBlank(text: string, i: number): boolean {
  return text.charAt(i) === ' ' || text.charAt(i) === '\n';
}

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
  const match = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word);
  const [, name = '', value = ''] = match ?? [];
  if (match === null || (names !== 'any' && !names.includes(name))) return undefined;
  return [name, unquote(decodeEscapes(value))];
}

function unescapeEquals(word: string): string {
  return /(^|[^\\])=/.test(word) ? word : word.replaceAll('\\=', '=');
}

function unquote(value: string): string {
  const match = /^(["'])([\s\S]*)\1$/.exec(value);
  return match === null || value.at(-2) === '\\' ? value : (match[2] ?? '');
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

function decodeEscapes(value: string): string {
  return value.replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|([0-7]{1,3})|([\\'"abfnrtv]))/gi,
    (...m) => {
      const [, hex, unicode, octal, letter = ''] = m as (string | undefined)[]; // The groups of the pattern.
      if (hex !== undefined || unicode !== undefined) {
        return String.fromCodePoint(Number.parseInt(hex ?? unicode ?? '', 16));
      }
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      return ESCAPES[letter] ?? letter;
    },
  );
}
