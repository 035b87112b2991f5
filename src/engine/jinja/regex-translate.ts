import { TemplateError } from './errors.ts';

export interface RegexFlags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly verbose: boolean;
}

/** JavaScript's form of a Python pattern. */
export interface TranslatedRegex {
  readonly source: string;
  readonly ignoreCase: boolean;
  /** Whether matching may take time exponential in the text's length. */
  readonly risky: boolean;
}

const WORD = '\\p{L}\\p{N}_';
const CLASSES: ReadonlyMap<string, string> = new Map([
  ['d', '\\p{Nd}'],
  ['D', '\\P{Nd}'],
  ['s', '\\s'],
  ['S', '\\S'],
]);

const CONTROL: ReadonlyMap<string, string> = new Map([
  ['a', '\\x07'],
  ['f', '\\f'],
  ['n', '\\n'],
  ['r', '\\r'],
  ['t', '\\t'],
  ['v', '\\v'],
]);

const ASSERTIONS: ReadonlyMap<string, string> = new Map([
  ['A', '(?<![\\s\\S])'],
  ['Z', '(?![\\s\\S])'],
  ['b', `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`],
  ['B', `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`],
]);

/** Turns a pattern of Python's `re` into one for the RegExp flag `u`. Throws TemplateError on a bad one. */
export function translateRegex(pattern: string, flags: RegexFlags): TranslatedRegex {
  return new Translator(pattern, flags).run();
}

class Translator {
  readonly #text: string;
  #flags: RegexFlags;
  #at = 0;
  #out = '';
  #quantified = 0;
  #nestedQuantifier = false;
  readonly #groups: { flags: RegexFlags; quantifiers: number }[] = [];

  constructor(text: string, flags: RegexFlags) {
    this.#text = text;
    this.#flags = flags;
  }

  run(): TranslatedRegex {
    this.#globalFlags();
    while (this.#at < this.#text.length) this.#item();
    const { ignoreCase } = this.#flags;
    const risky = this.#nestedQuantifier || this.#quantified > 2;
    return { source: this.#out, ignoreCase, risky };
  }

  #fail(message: string): never {
    throw new TemplateError(`bad regular expression ${JSON.stringify(this.#text)}: ${message}`);
  }

  #globalFlags(): void {
    const match = /^\(\?([aiLmsux]+)\)/.exec(this.#text);
    if (match === null) return;
    this.#at = match[0].length;
    this.#flags = withFlags(this.#flags, match[1] ?? '', true);
  }

  #take(count = 1): string {
    const taken = this.#text.slice(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  #item(): void {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    this.#take(char.length);
    if (char === '\\') this.#out += this.#escape();
    else if (char === '[') this.#class();
    else if (char === '(') this.#group();
    else if (char === ')') this.#close();
    else if ('*+?{'.includes(char)) this.#quantifier(char);
    else if (this.#flags.verbose && /[\s#]/.test(char)) this.#comment(char);
    else this.#out += this.#plain(char);
  }

  #comment(char: string): void {
    if (char !== '#') return;
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end + 1;
  }

  #plain(char: string): string {
    if (char === '^') return this.#flags.multiline ? '(?<![^\\n])' : '(?<![\\s\\S])';
    if (char === '$') return this.#flags.multiline ? '(?![^\\n])' : '(?=\\n?(?![\\s\\S]))';
    if (char === '.') return this.#flags.dotAll ? '[\\s\\S]' : '[^\\n]';
    if (char === '|') return '|';
    return '}]/'.includes(char) ? `\\${char}` : char;
  }

  #escape(): string {
    if (this.#at >= this.#text.length) this.#fail('it ends in a backslash');
    const char = this.#take();
    const assertion = ASSERTIONS.get(char);
    if (assertion !== undefined) return assertion;
    if (char === 'w') return `[${WORD}]`;
    if (char === 'W') return `[^${WORD}]`;
    if (/[1-9]/.test(char)) return this.#reference(char);
    return CLASSES.get(char) ?? this.#character(char);
  }

  #reference(first: string): string {
    const second = /\d/.test(this.#text[this.#at] ?? '') ? this.#take() : '';
    return `(?:\\${first}${second})`;
  }

  /** The escape of one character, the same inside and outside of classes. */
  #character(char: string): string {
    const control = CONTROL.get(char);
    if (control !== undefined) return control;
    if (char === 'x') return `\\x${this.#hex(2)}`;
    if (char === 'u') return `\\u${this.#hex(4)}`;
    if (char === 'U') return `\\u{${this.#hex(8).replace(/^0+(?=.)/, '')}}`;
    if (char === '0') return this.#octal();
    if (/[A-Za-z]/.test(char)) this.#fail(`bad escape \\${char}`);
    return /[\^$\\.*+?()[\]{}|/-]/.test(char) && char !== '-' ? `\\${char}` : hexEscape(char);
  }

  #hex(length: number): string {
    const digits = this.#take(length);
    if (!new RegExp(`^[\\da-fA-F]{${length}}$`).test(digits)) this.#fail('incomplete escape');
    return digits;
  }

  #octal(): string {
    const digits = /^[0-7]{0,2}/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    this.#take(digits.length);
    return `\\x${Number.parseInt(`0${digits}`, 8).toString(16).padStart(2, '0')}`;
  }

  #class(): void {
    const negated = this.#text[this.#at] === '^' ? this.#take() : '';
    let body = '';
    for (let first = true; first || this.#text[this.#at] !== ']'; first = false) {
      if (this.#at >= this.#text.length) this.#fail('unterminated character set');
      body += this.#classItem();
    }
    this.#take();
    this.#out += `[${negated}${body}]`;
  }

  #classItem(): string {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    this.#take(char.length);
    if (char !== '\\') return '[]^'.includes(char) ? `\\${char}` : char;
    const escaped = this.#take();
    if (escaped === 'w') return WORD;
    if (escaped === 'W') return '\\P{L}';
    if (escaped === 'b') return '\\x08';
    if (escaped === '-') return '\\-';
    if (/[1-7]/.test(escaped)) {
      this.#at -= 1;
      return this.#octal();
    }
    return CLASSES.get(escaped) ?? this.#character(escaped);
  }

  #group(): void {
    this.#groups.push({ flags: this.#flags, quantifiers: this.#quantified });
    if (this.#text[this.#at] !== '?') {
      this.#out += '(';
      return;
    }
    const rest = this.#text.slice(this.#at);
    const known = /^\?(?:P<(\w+)>|P=(\w+)\)|#[^)]*\)|([aiLmsux]*)(?:-([imsx]+))?:|<?[=!])/.exec(rest);
    if (known === null) this.#fail(`unknown extension "(${rest.slice(0, 3)}"`);
    this.#take(known[0].length);
    this.#out += this.#opening(known);
  }

  #opening([whole, name, reference, on, off]: readonly (string | undefined)[]): string {
    if (name !== undefined) return `(?<${name}>`;
    if (reference !== undefined || whole?.startsWith('?#')) {
      this.#groups.pop();
      return reference === undefined ? '' : `\\k<${reference}>`;
    }
    if (on === undefined) return `(${whole}`;
    if (/i/.test(on + (off ?? ''))) this.#foldCase(on, off ?? '');
    this.#flags = withFlags(withFlags(this.#flags, on, true), off ?? '', false);
    return '(?:';
  }

  /** A group with its own case rule: only where it is the whole pattern's rule too can RegExp follow. */
  #foldCase(on: string, off: string): void {
    const wanted = on.includes('i') && !off.includes('i');
    const covers = this.#groups.length === 1 && this.#out === '' && this.#text.endsWith(')');
    if (wanted !== this.#flags.ignoreCase && !covers) {
      this.#fail('a part with its own case rule is not supported');
    }
    const outer = this.#groups.at(-1);
    if (outer !== undefined) outer.flags = { ...outer.flags, ignoreCase: wanted };
  }

  #close(): void {
    const group = this.#groups.pop();
    if (group === undefined) this.#fail('unbalanced parenthesis');
    this.#flags = group.flags;
    this.#out += ')';
    if (!/^(?:[*+]|\{\d*,\}|\{\d*,\d\d+\})/.test(this.#text.slice(this.#at))) return;
    if (this.#quantified > group.quantifiers) this.#nestedQuantifier = true;
  }

  #quantifier(char: string): void {
    const braces = char === '{' ? /^(\d*)(?:(,)(\d*))?\}/.exec(this.#text.slice(this.#at)) : null;
    if (char === '{' && (braces === null || braces[0] === '}' || braces[0] === ',}')) {
      this.#out += '\\{';
      return;
    }
    if (this.#out === '' || /(?:^|[^\\])[(|]$/.test(this.#out)) this.#fail('nothing to repeat');
    if (braces !== null) this.#take(braces[0].length);
    const bounds = braces === null ? char : `{${braces[1] || '0'}${braces[2] ?? ''}${braces[3] ?? ''}}`;
    if (char !== '?') this.#quantified += 1;
    this.#out += bounds;
    const next = this.#text[this.#at] ?? '';
    if (next === '?') this.#out += this.#take();
    else if (next === '+') this.#fail('possessive quantifiers are not supported');
    else if (next === '*') this.#fail('multiple repeat');
  }
}

function withFlags(flags: RegexFlags, letters: string, value: boolean): RegexFlags {
  return {
    ignoreCase: letters.includes('i') ? value : flags.ignoreCase,
    multiline: letters.includes('m') ? value : flags.multiline,
    dotAll: letters.includes('s') ? value : flags.dotAll,
    verbose: letters.includes('x') ? value : flags.verbose,
  };
}

function hexEscape(char: string): string {
  return /[!-/:-@[-`{-~ ]/.test(char) ? `\\x${char.charCodeAt(0).toString(16)}` : char;
}
