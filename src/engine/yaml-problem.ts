import type { Place, Problem } from '../shared/errors.ts';
import { table } from '../shared/table.ts';

/** What the parser says about a document, before it is worded for the author. */
export interface SyntaxFault {
  readonly code: string;
  readonly message: string;
  readonly offset: number;
}

type Wording = readonly [message: string, hint?: string];

const WORDINGS: Readonly<Record<string, Wording>> = table({
  TAB_AS_INDENT: ['a tab is used for indentation', 'indent with spaces'],
  BLOCK_AS_IMPLICIT_KEY: [
    'a mapping is not allowed here',
    'quote the value if it contains ": ", else check the indentation',
  ],
  MULTIPLE_DOCS: [
    'a second YAML document begins here, but this file may hold only one',
    'move it to a file of its own',
  ],
  BAD_ALIAS: ['this alias is not valid'],
});
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
  for (const fault of faults.filter((each) => !TOLERATED.test(each.message))) {
    const place = placeAt(fault.offset);
    const isEcho = problems.size > 0 && OUTSIDE.test(fault.message);
    if (isEcho || problems.has(place.line)) continue;
    problems.set(place.line, problem(place, wordingOf(fault, lines[place.line - 1] ?? '')));
  }
  return [...problems.values()];
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

function wordingOf(fault: SyntaxFault, line: string): Wording {
  if (fault.code !== 'TAB_AS_INDENT' && UNQUOTED_TEMPLATE.test(line)) return QUOTE_TEMPLATE;
  return WORDINGS[fault.code] ?? [`YAML syntax: ${fault.message}`];
}

function problem(place: Place, [message, hint]: Wording): Problem {
  return { place, message, hint };
}
