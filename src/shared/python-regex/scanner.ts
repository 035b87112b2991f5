/** Thrown where Python's `re` would refuse a pattern, or where JavaScript has no equal. */
export class RegexSyntaxError extends Error {
  override readonly name = 'RegexSyntaxError';
}

/** A reading position in a pattern. */
export class Scanner {
  readonly text: string;
  at: number;

  constructor(text: string, at = 0) {
    this.text = text;
    this.at = at;
  }

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.at += text.length;
    return true;
  }

  /** Reads one character, by code point. Throws RegexSyntaxError at the end. */
  next(): string {
    const code = this.text.codePointAt(this.at);
    if (code === undefined) throw this.wrong('unexpected end of pattern');
    const char = String.fromCodePoint(code);
    this.at += char.length;
    return char;
  }

  /** Reads what a sticky regular expression matches here. */
  match(regex: RegExp): RegExpExecArray | undefined {
    regex.lastIndex = this.at;
    const found = regex.exec(this.text) ?? undefined;
    this.at += found?.[0].length ?? 0;
    return found;
  }

  wrong(reason: string): RegexSyntaxError {
    return new RegexSyntaxError(`${reason} at position ${this.at}`);
  }
}
