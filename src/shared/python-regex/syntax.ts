/** Python's regular expression syntax, rewritten for JavaScript's `v` mode. */
import { anchor, boundary, END, START } from './anchors.ts';
import { type CharacterMode, escapedCharacter, literal, namedSet } from './characters.ts';
import { readClass } from './class.ts';
import { type Mode, type RegexFlags, readGlobalFlags, scopedFlags } from './flags.ts';
import { Scanner } from './scanner.ts';

/** A pattern for `new RegExp(source, flags)`. Python's group n is the group named `gn`. */
export interface Translation {
  readonly source: string;
  readonly flags: string;
  readonly groupCount: number;
  readonly names: ReadonlyMap<string, number>;
}

const LOOKAROUND = /^\(\?<?[=!]|^$/;
const REPEAT = /([*+?]|\{\d+\}|\{\d*,\d*\})([?+]?)/y;

/** Rewrites a pattern. Throws RegexSyntaxError. */
export function translateRegex(pattern: string, flags: RegexFlags = {}): Translation {
  const scanner = new Scanner(pattern);
  const mode = readGlobalFlags(scanner, flags);
  return new Translator(scanner, mode).translate(mode);
}

class Translator {
  readonly #scanner: Scanner;
  /** A JavaScript flag holds for the whole pattern and folds all of Unicode: elsewhere cases are written out. */
  readonly #writesCases: boolean;
  readonly #names = new Map<string, number>();
  #groups = 0;
  #atomics = 0;

  constructor(scanner: Scanner, mode: Mode) {
    this.#scanner = scanner;
    this.#writesCases = mode.ascii || /\(\?[a-z]*-?[a-z]*i[a-z-]*:/.test(scanner.text);
  }

  translate(mode: Mode): Translation {
    const source = this.#alternatives(mode);
    if (!this.#scanner.atEnd) throw this.#scanner.wrong('unbalanced parenthesis');
    const flags = mode.ignoreCase && !this.#writesCases ? 'vi' : 'v';
    return { source, flags, groupCount: this.#groups, names: this.#names };
  }

  #alternatives(mode: Mode): string {
    let source = this.#sequence(mode);
    while (this.#scanner.take('|')) source += `|${this.#sequence(mode)}`;
    return source;
  }

  #sequence(mode: Mode): string {
    let source = '';
    this.#skipComments(mode);
    while (
      !this.#scanner.atEnd &&
      !this.#scanner.startsWith('|') &&
      !this.#scanner.startsWith(')')
    ) {
      const atom = this.#atom(mode);
      this.#skipComments(mode);
      source += this.#repeated(atom);
      this.#skipComments(mode);
    }
    return source;
  }

  #skipComments({ verbose }: Mode): void {
    this.#scanner.match(verbose ? /(?:\(\?#[^)]*\)|\s|#[^\n]*)*/y : /(?:\(\?#[^)]*\))*/y);
  }

  #repeated(atom: string): string {
    const found = this.#scanner.match(REPEAT);
    if (found === undefined) return atom;
    const [, count = '', suffix = ''] = found;
    const base = LOOKAROUND.test(atom) ? `(?:${atom})` : atom;
    const repeat = base + count.replace('{,', '{0,');
    return suffix === '+' ? this.#atomic(repeat) : repeat + suffix;
  }

  /** What has matched is not given back: a lookahead is never entered twice. */
  #atomic(source: string): string {
    const name = `a${++this.#atomics}`;
    return `(?:(?=(?<${name}>${source}))\\k<${name}>)`;
  }

  #atom(mode: Mode): string {
    if (this.#scanner.match(REPEAT) !== undefined) throw this.#scanner.wrong('nothing to repeat');
    const char = this.#scanner.next();
    if (char === '(') return this.#group(mode);
    if (char === '[') return readClass(this.#scanner, this.#characters(mode));
    if (char === '\\') return this.#escape(mode);
    return anchor(char, mode) ?? literal(char, this.#characters(mode));
  }

  #characters({ ignoreCase, ascii }: Mode): CharacterMode {
    return { bothCases: ignoreCase && this.#writesCases, ascii };
  }

  #group(mode: Mode): string {
    const [, plain, name, reference, flagged] =
      this.#scanner.match(/\?(?:([:=!>]|<[=!])|P<([^>]*)>|P=([^)]*)\)|([a-z]*(?:-[a-z]+)?:))/y) ??
      [];
    if (reference !== undefined) return this.#reference(reference);
    if (this.#scanner.startsWith('?')) throw this.#scanner.wrong('unsupported group');
    if (plain === '>') return this.#atomic(this.#closed(mode));
    if (plain !== undefined) return `(?${plain}${this.#closed(mode)})`;
    if (flagged !== undefined) return `(?:${this.#closed(scopedFlags(mode, flagged))})`;
    return this.#capture(name, mode);
  }

  #capture(name: string | undefined, mode: Mode): string {
    const number = ++this.#groups;
    if (name !== undefined && !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) {
      throw this.#scanner.wrong(`bad group name "${name}"`);
    }
    if (name !== undefined && this.#names.has(name))
      throw this.#scanner.wrong(`group name "${name}" is used twice`);
    if (name !== undefined) this.#names.set(name, number);
    return `(?<g${number}>${this.#closed(mode)})`;
  }

  #closed(mode: Mode): string {
    const source = this.#alternatives(mode);
    if (!this.#scanner.take(')')) throw this.#scanner.wrong('missing ), unterminated group');
    return source;
  }

  #reference(nameOrNumber: string): string {
    const number = this.#names.get(nameOrNumber) ?? Number(nameOrNumber);
    if (!(number >= 1 && number <= this.#groups))
      throw this.#scanner.wrong(`unknown group "${nameOrNumber}"`);
    return `\\k<g${number}>`;
  }

  #escape(mode: Mode): string {
    const characters = this.#characters(mode);
    const reference = this.#scanner.match(/(?![1-3][0-7]{2})[1-9]\d?/y);
    if (reference !== undefined) return this.#reference(reference[0]);
    if (this.#scanner.take('A')) return START;
    if (this.#scanner.take('Z')) return END;
    if (this.#scanner.take('b')) return boundary(characters, true);
    if (this.#scanner.take('B')) return boundary(characters, false);
    const set = namedSet(this.#scanner.text[this.#scanner.at] ?? '', characters);
    if (set === undefined) return literal(escapedCharacter(this.#scanner), characters);
    this.#scanner.at++;
    return set;
  }
}
