import type { Place, Problem } from '../shared/errors.ts';
import { table } from '../shared/table.ts';

/** What the parser says about a document, before it is worded for the author. */
export interface SyntaxFault {
  readonly code: string;
  readonly message: string;
  /** Where it begins and ends. */
  readonly pos: readonly [start: number, end: number];
}

type Wording = readonly [message: string, hint?: string];

const TAB: Wording = ['a tab is used for indentation', 'indent with spaces'];
const WORDINGS: Readonly<Record<string, Wording>> = table({
  TAB_AS_INDENT: TAB,
  BLOCK_AS_IMPLICIT_KEY: [
    'a mapping is not allowed here',
    'quote the value if it contains ": ", else check the indentation',
  ],
  MULTIPLE_DOCS: [
    'a second YAML document begins here, but this file may hold only one',
    'move it to a file of its own',
  ],
  BAD_ALIAS: ['this alias is not valid'],
  OPEN_QUOTE: [
    'YAML syntax: this quote is never closed',
    "close it; within '…' an apostrophe is written twice",
  ],
});
const LATE_KEY: Wording = [
  'a mapping is not allowed here',
  'check the indentation, and whether the line before lacks its ":"',
];
const QUOTE_TEMPLATE: Wording = [
  'a value that starts with "{{" or "{%" is not quoted',
  'write the whole value in quotes: "{{ … }}"',
];
/** PyYAML reads `"b"# comment` without complaint. */
const TOLERATED = /^Comments must be separated/;
/** What stands behind the end of a document. */
const OUTSIDE = /in YAML stream/;
const UNQUOTED_TEMPLATE = /(?:^|[:-])\s+\{[{%]/;

/** The problem of a value that begins with an unquoted template, which YAML takes for a mapping. */
export function unquotedTemplate(place: Place): Problem {
  return problem(place, QUOTE_TEMPLATE);
}

/**
 * Words the parser's faults for the author, one for each line: the rest of a line's are echoes, and so is everything
 * that comes after the place where the document fell apart.
 */
export function syntaxProblems(
  text: string,
  faults: readonly SyntaxFault[],
  placeAt: (offset: number) => Place,
): Problem[] {
  const lines = text.split('\n');
  const problems = new Map<number, Problem>();
  const keys = faults.filter((fault) => isLateKey(fault, text));
  for (const fault of faults.filter((each) => !isTold(each, keys))) {
    const isKey = keys.includes(fault);
    const place = placeAt(fault.pos[isKey ? 1 : 0]);
    const isEcho = problems.size > 0 && OUTSIDE.test(fault.message);
    if (isEcho || problems.has(place.line)) continue;
    problems.set(place.line, problem(place, wordingOf(fault, lines[place.line - 1] ?? '', isKey)));
  }
  return [...problems.values()];
}

/**
 * Whether a fault is a text of several lines with a colon behind it: the last line is not indented as it should be,
 * or a line before it lacks its own colon. The author looks for the fault where the colon is.
 */
function isLateKey({ code, pos: [, end] }: SyntaxFault, text: string): boolean {
  return code === 'MULTILINE_IMPLICIT_KEY' && /^[ \t]*:/.test(text.slice(end, end + LONGEST_GAP));
}

const LONGEST_GAP = 100;

/** Whether nothing has to be said of a fault: it is none for PyYAML, or another one says it better. */
function isTold(fault: SyntaxFault, keys: readonly SyntaxFault[]): boolean {
  const isKey = keys.includes(fault);
  return (
    TOLERATED.test(fault.message) ||
    (!isKey && keys.some(({ pos: [start] }) => start === fault.pos[0]))
  );
}

/** Where a text has characters that YAML forbids, each line once. */
export function forbiddenCharacters(text: string, placeAt: (offset: number) => Place): Problem[] {
  const pattern = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
  const found = new Map<number, Problem>();
  for (const match of text.matchAll(pattern)) {
    const place = placeAt(match.index);
    const code = (match[0].codePointAt(0) ?? 0).toString(16).padStart(4, '0');
    const message = `the character U+${code.toUpperCase()} is not allowed in YAML`;
    if (!found.has(place.line))
      found.set(place.line, { place, message, hint: 'remove or escape it' });
  }
  return [...found.values()];
}

function wordingOf(fault: SyntaxFault, line: string, isLate: boolean): Wording {
  if (/^ *\t/.test(line)) return TAB;
  if (fault.code !== 'TAB_AS_INDENT' && UNQUOTED_TEMPLATE.test(line)) return QUOTE_TEMPLATE;
  if (isLate) return LATE_KEY;
  return WORDINGS[fault.code] ?? [`YAML syntax: ${fault.message}`];
}

function problem(place: Place, [message, hint]: Wording): Problem {
  return { place, message, hint };
}
