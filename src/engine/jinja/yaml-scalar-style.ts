/** How a scalar may be written. */
export interface ScalarAnalysis {
  readonly multiline: boolean;
  readonly flowPlain: boolean;
  readonly blockPlain: boolean;
  readonly singleQuoted: boolean;
}

const IMPLICIT: readonly RegExp[] = [
  /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
  /^(?:[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
  /^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/,
  /^(?:~|null|Null|NULL|)$/,
  /^(?:<<|=)$/,
  /^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$/,
];

/** Whether YAML 1.1 reads the bare text as something other than a string. */
export function looksTyped(text: string): boolean {
  return IMPLICIT.some((pattern) => pattern.test(text));
}

const BREAK = /[\r\n\x85\u2028\u2029]/;
const UNPRINTABLE = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;

/** Whether libyaml writes the character as it is in a quoted text. */
export function isPrintable(char: string): boolean {
  return !UNPRINTABLE.test(char);
}

function flowIndicator(text: string): boolean {
  return (
    /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`?:]|-(?=[\s\x85]|$))/.test(text) || FLOW_INSIDE.test(text)
  );
}

const FLOW_INSIDE = /(?!^)[,?[\]{}:]|[\s\x85]#/;
const BLOCK_START = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[-?:](?=[\s\x85]|$))/;
const BLOCK_INSIDE = /(?!^):(?=[\s\x85]|$)|[\s\x85]#/;

/** Looks at a text as libyaml's emitter does, to tell in which styles it can be written. */
export function analyzeScalar(text: string): ScalarAnalysis {
  if (text === '')
    return { multiline: false, flowPlain: false, blockPlain: true, singleQuoted: true };
  const multiline = BREAK.test(text);
  const edge = /^[ \r\n\x85\u2028\u2029]|[ \r\n\x85\u2028\u2029]$/.test(text);
  const breakThenSpace = /[\r\n\x85\u2028\u2029] /.test(text);
  const spaceThenBreak = / [\r\n\x85\u2028\u2029]/.test(text);
  const special = UNPRINTABLE.test(text) || spaceThenBreak;
  const plain = !edge && !breakThenSpace && !special && !multiline;
  const blockIndicator = BLOCK_START.test(text) || BLOCK_INSIDE.test(text);
  return {
    multiline,
    flowPlain: plain && !flowIndicator(text),
    blockPlain: plain && !blockIndicator,
    singleQuoted: !breakThenSpace && !special,
  };
}

/** Whether a text of several lines can be written with each line as it is. */
export function fitsLiteral(text: string): boolean {
  return !UNPRINTABLE.test(text) && !/ [\n\x85\u2028\u2029]| $/.test(text);
}

/** What announces such a text: where its lines begin, if blanks hide it, and which line breaks end it. */
export function literalHeader(text: string, indent: number): string {
  const hint = /^[ \n\x85\u2028\u2029]/.test(text) ? String(indent) : '';
  const keeps = text === '\n' || text.endsWith('\n\n') ? '+' : '';
  return `|${hint}${text.endsWith('\n') ? keeps : '-'}`;
}

/** A text of several lines for the eyes: without control characters, tabs and blanks that end lines. */
export function cleanLines(text: string): string {
  const lines = text.split(/\r\n|[\r\n]/).map((line) => expandTabs(line).trimEnd());
  return lines
    .join('\n')
    .replace(/[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .trimEnd();
}

function expandTabs(line: string): string {
  return line.replace(/([^\t]*)\t/g, (_, before: string) =>
    before.padEnd((Math.floor(before.length / 8) + 1) * 8),
  );
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '0'],
  ['\x07', 'a'],
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\v', 'v'],
  ['\f', 'f'],
  ['\r', 'r'],
  ['\x1b', 'e'],
  ['"', '"'],
  ['\\', '\\'],
  ['\x85', 'N'],
  ['\xa0', '_'],
  ['\u2028', 'L'],
  ['\u2029', 'P'],
]);

/** The escape of a character in a double-quoted scalar. */
export function escapeCharacter(char: string): string {
  const known = ESCAPES.get(char);
  if (known !== undefined) return `\\${known}`;
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
