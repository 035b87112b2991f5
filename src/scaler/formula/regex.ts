/**
 * Regular expressions that take no longer than the text is long, whatever they are: a formula must not keep the
 * operator busy. The syntax is that of RE2, without Unicode classes. Only whether there is a match is told.
 */

import { runMachine, type State } from './regex-machine.ts';

/** A part of the machine: where it begins, given where it goes on. */
type Part = (next: number) => number;

const MOST_STATES = 2000;
const CLASSES: Readonly<Record<string, RegExp>> = {
  d: /[0-9]/,
  w: /[0-9A-Za-z_]/,
  s: /[\t\n\f\r ]/,
};
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\u0007',
};

/** Whether a text has a match. Throws RangeError where the pattern cannot be read. */
export function compilePattern(pattern: string): (text: string) => boolean {
  const machine = new Builder(pattern);
  const start = machine.build();
  return (text) => runMachine(machine.states, start, text);
}

class Builder {
  readonly states: State[] = [{ kind: 'end' }];
  readonly #pattern: string;
  #at = 0;
  #ignoresCase = false;
  #dotTakesLines = false;
  #isByLine = false;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  build(): number {
    const whole = this.#alternatives();
    if (this.#at < this.#pattern.length) this.#refuse('an unexpected )');
    return whole(0);
  }

  #alternatives(): Part {
    const flags = [this.#ignoresCase, this.#dotTakesLines, this.#isByLine] as const;
    let found = this.#row();
    while (this.#take('|')) {
      const [left, right] = [found, this.#row()];
      found = (next) => this.#add({ kind: 'split', next: left(next), other: right(next) });
    }
    [this.#ignoresCase, this.#dotTakesLines, this.#isByLine] = flags;
    return found;
  }

  #row(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#peek())) {
      const part = this.#atom();
      if (part !== undefined) parts.push(this.#repeated(part));
    }
    return (next) => parts.reduceRight((after, part) => part(after), next);
  }

  #repeated(part: Part): Part {
    const counts = this.#quantifier();
    if (counts === undefined) return part;
    this.#take('?'); // Whether a match is short or long makes no difference here.
    if (this.#quantifier() !== undefined) this.#refuse('a repetition of a repetition');
    const [least, most] = counts;
    return (next) => {
      let start = most === undefined ? this.#loop(part, next) : next;
      for (let count = least; count < (most ?? 0); count++) {
        start = this.#add({ kind: 'split', next: part(start), other: next });
      }
      for (let count = 0; count < least; count++) start = part(start);
      return start;
    };
  }

  #loop(part: Part, next: number): number {
    const split = { kind: 'split' as const, next, other: next };
    const index = this.#add(split);
    split.next = part(index);
    return index;
  }

  #quantifier(): readonly [number, number | undefined] | undefined {
    if (this.#take('*')) return [0, undefined];
    if (this.#take('+')) return [1, undefined];
    if (this.#take('?')) return [0, 1];
    const [whole, least = '', comma, most] =
      /^\{(\d+)(,)?(\d+)?\}/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (whole === undefined) return undefined;
    this.#at += whole.length;
    const end = comma === undefined ? Number(least) : most === undefined ? undefined : Number(most);
    if ((end ?? 0) > 1000 || Number(least) > 1000 || (end ?? Number(least)) < Number(least)) {
      this.#refuse(`an invalid repeat count ${whole}`);
    }
    return [Number(least), end];
  }

  /** Undefined for what is only a flag. */
  #atom(): Part | undefined {
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return this.#character(this.#set());
      case '.':
        return this.#character(this.#dotTakesLines ? () => true : (each) => each !== '\n');
      case '^':
        return this.#place(this.#isByLine ? isLineStart : (_, at) => at === 0);
      case '$':
        return this.#place(this.#isByLine ? isLineEnd : (text, at) => at === text.length);
      case '\\':
        return this.#escaped();
      case '*':
      case '+':
      case '?':
        return this.#refuse(`nothing to repeat before ${character}`);
      default:
        return this.#literal(character);
    }
  }

  #group(): Part | undefined {
    const name = /^\?P?<\w+>/.exec(this.#pattern.slice(this.#at))?.[0];
    const [flags, list = '', isOff, off = '', end] =
      /^\?([imsU]*)(-([imsU]+))?([:)])/.exec(this.#pattern.slice(this.#at)) ?? [];
    if (name === undefined && flags === undefined && this.#peek() === '?') {
      this.#refuse('an invalid group');
    }
    this.#at += (name ?? flags ?? '').length;
    const before = [this.#ignoresCase, this.#dotTakesLines, this.#isByLine] as const;
    this.#setFlags(list, true);
    if (isOff !== undefined) this.#setFlags(off, false);
    if (end === ')') return undefined;
    const inner = this.#alternatives();
    if (!this.#take(')')) this.#refuse('a ( without its )');
    [this.#ignoresCase, this.#dotTakesLines, this.#isByLine] = before;
    return inner;
  }

  #setFlags(flags: string, value: boolean): void {
    if (flags.includes('i')) this.#ignoresCase = value;
    if (flags.includes('s')) this.#dotTakesLines = value;
    if (flags.includes('m')) this.#isByLine = value;
  }

  #escaped(): Part {
    const character = this.#next();
    if (character === 'A') return this.#place((_, at) => at === 0);
    if (character === 'z') return this.#place((text, at) => at === text.length);
    if (character === 'b') return this.#place(isWordEdge);
    if (character === 'B') return this.#place((text, at) => !isWordEdge(text, at));
    const set = classOf(character);
    return set === undefined ? this.#literal(this.#plain(character)) : this.#character(set);
  }

  #plain(character: string): string {
    const known = ESCAPES[character];
    if (known !== undefined) return known;
    if (/[0-9A-Za-z]/.test(character)) this.#refuse(`an unknown escape \\${character}`);
    return character;
  }

  #set(): (character: string) => boolean {
    const isNegated = this.#take('^');
    const tests: ((character: string) => boolean)[] = [];
    do tests.push(this.#element());
    while (!this.#take(']'));
    const fits = folded(tests, this.#ignoresCase);
    return isNegated ? (character) => !fits(character) : fits;
  }

  /** A class, a range or a character of a set. */
  #element(): (character: string) => boolean {
    const first = this.#next();
    const known = first === '\\' ? classOf(this.#peek()) : undefined;
    if (known !== undefined) {
      this.#at += 1;
      return known;
    }
    const from = first === '\\' ? this.#plain(this.#next()) : first;
    const isRange = this.#peek() === '-' && this.#pattern[this.#at + 1] !== ']';
    const to = isRange ? this.#rangeEnd() : from;
    if (to < from) this.#refuse(`an invalid range ${from}-${to}`);
    return (character) => character >= from && character <= to;
  }

  #rangeEnd(): string {
    this.#at += 1;
    const character = this.#next();
    return character === '\\' ? this.#plain(this.#next()) : character;
  }

  #literal(wanted: string): Part {
    return this.#character(folded([(each) => each === wanted], this.#ignoresCase));
  }

  #character(fits: (character: string) => boolean): Part {
    return (next) => this.#add({ kind: 'character', fits, next });
  }

  #place(fits: (text: string, at: number) => boolean): Part {
    return (next) => this.#add({ kind: 'place', fits, next });
  }

  #add(state: State): number {
    if (this.states.length >= MOST_STATES) this.#refuse('too much to look for');
    return this.states.push(state) - 1;
  }

  #peek(): string {
    return this.#pattern.charAt(this.#at);
  }

  #next(): string {
    const code = this.#pattern.codePointAt(this.#at);
    if (code === undefined) this.#refuse('no end');
    const character = String.fromCodePoint(code as number);
    this.#at += character.length;
    return character;
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #refuse(what: string): never {
    throw new RangeError(`the pattern has ${what}`);
  }
}

function classOf(character: string): ((character: string) => boolean) | undefined {
  const set = CLASSES[character.toLowerCase()];
  if (set === undefined) return undefined;
  const isNegated = character !== character.toLowerCase();
  return (each) => set.test(each) !== isNegated;
}

function folded(tests: readonly ((character: string) => boolean)[], ignoresCase: boolean) {
  const fits = (character: string) => tests.some((test) => test(character));
  if (!ignoresCase) return fits;
  return (character: string) =>
    [character, character.toLowerCase(), character.toUpperCase()].some(fits);
}

function isWordEdge(text: string, at: number): boolean {
  const isWord = (index: number) => /\w/.test(text.charAt(index));
  return isWord(at - 1) !== isWord(at);
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n';
}

function isLineEnd(text: string, at: number): boolean {
  return at === text.length || text[at] === '\n';
}
