/** Python's `re` on JavaScript's RegExp: the patterns that playbooks are written with. */
import { escapedCharacter } from './python-regex/characters.ts';
import type { RegexFlags } from './python-regex/flags.ts';
import { RegexSyntaxError, Scanner } from './python-regex/scanner.ts';
import { translateRegex } from './python-regex/syntax.ts';

export type { RegexFlags } from './python-regex/flags.ts';
export { RegexSyntaxError } from './python-regex/scanner.ts';

/** One match. Indexes are of UTF-16 units. */
export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** Group 0 is the whole match; a group that took no part is undefined. */
  readonly groups: readonly (string | undefined)[];
  readonly named: ReadonlyMap<string, string | undefined>;
}

/** A compiled pattern with the methods of Python's. Throws RegexSyntaxError where Python or JavaScript refuses it. */
export class PythonRegex {
  readonly groupCount: number;
  readonly names: ReadonlyMap<string, number>;
  readonly #source: string;
  readonly #flags: string;

  constructor(pattern: string, flags: RegexFlags = {}) {
    const { source, flags: jsFlags, groupCount, names } = translated(pattern, flags);
    this.groupCount = groupCount;
    this.names = names;
    this.#source = source;
    this.#flags = jsFlags;
  }

  /** The first match anywhere. */
  search(text: string): RegexMatch | undefined {
    return this.#exec(new RegExp(this.#source, this.#flags), text);
  }

  /** A match at the beginning. */
  match(text: string): RegexMatch | undefined {
    return this.#exec(new RegExp(this.#source, `${this.#flags}y`), text);
  }

  /** A match of the whole text. */
  fullMatch(text: string): RegexMatch | undefined {
    return this.#exec(new RegExp(`(?:${this.#source})(?![\\s\\S])`, `${this.#flags}y`), text);
  }

  /** Every match, from left to right (finditer). */
  *findAll(text: string): Generator<RegexMatch> {
    for (const found of text.matchAll(new RegExp(this.#source, `${this.#flags}g`))) {
      yield this.#matched(found);
    }
  }

  /** Replaces matches by an expanded template (sub); at most `count` of them, or all where it is 0. */
  replace(text: string, template: string, count = 0): string {
    let result = '';
    let end = 0;
    let left = count || Number.POSITIVE_INFINITY;
    for (const match of this.findAll(text)) {
      if (left-- === 0) break;
      result += text.slice(end, match.start) + this.expand(template, match);
      end = match.end;
    }
    return result + text.slice(end);
  }

  /** Fills the `\1`, `\g<name>` and escapes of a template from a match. Throws RegexSyntaxError. */
  expand(template: string, match: RegexMatch): string {
    const scanner = new Scanner(template);
    let text = '';
    while (!scanner.atEnd) {
      text += scanner.match(/[^\\]+/y)?.[0] ?? '';
      if (scanner.take('\\')) text += this.#expanded(scanner, match);
    }
    return text;
  }

  #expanded(scanner: Scanner, match: RegexMatch): string {
    if (scanner.match(/(?=0|[1-3][0-7]{2})/y) !== undefined) return escapedCharacter(scanner);
    const [, name, digits] = scanner.match(/g<([^>]*)>|([1-9]\d?)/y) ?? [];
    if (name === undefined && digits === undefined) return templateEscape(scanner);
    const number = this.names.get(name ?? '') ?? Number(digits ?? (name || Number.NaN));
    if (number <= this.groupCount) return match.groups[number] ?? '';
    throw scanner.wrong(`unknown group "${name ?? digits}"`);
  }

  #exec(regex: RegExp, text: string): RegexMatch | undefined {
    const found = regex.exec(text);
    return found === null ? undefined : this.#matched(found);
  }

  #matched({ 0: whole, index, groups = {} }: RegExpExecArray): RegexMatch {
    const numbered = Array.from({ length: this.groupCount }, (_, i) => groups[`g${i + 1}`]);
    const all = [whole, ...numbered];
    const named = new Map([...this.names].map(([name, number]) => [name, all[number]]));
    return { start: index, end: index + whole.length, groups: all, named };
  }
}

function translated(pattern: string, flags: RegexFlags) {
  try {
    const translation = translateRegex(pattern, flags);
    new RegExp(translation.source, translation.flags);
    return translation;
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw error;
    throw new RegexSyntaxError(`unusable pattern: ${(error as Error).message}`, { cause: error }); // RegExp throws only Errors.
  }
}

/** In a template a backslash before punctuation stays, as in Python. */
function templateEscape(scanner: Scanner): string {
  if (scanner.take('\\')) return '\\';
  if (scanner.match(/(?=[abfnrtv])/y) === undefined) {
    if (scanner.match(/(?=[A-Za-z0-9])/y) !== undefined) throw scanner.wrong('bad escape');
    return `\\${scanner.next()}`;
  }
  return scanner.take('b') ? '\b' : escapedCharacter(scanner);
}
