import { type Kind, Nesting } from './shell-nesting.ts';

const DOCUMENT = /<<-?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|([\w-]+))/y;

/** Reads shell text as POSIX shells do. Throws SyntaxError on what it cannot judge. */
export class ShellScanner {
  readonly #in = new Nesting();

  /** What stands behind the text read so far. */
  get nesting(): Nesting {
    return this.#in;
  }

  read(text: string): void {
    this.#in.text = text;
    this.#in.at = 0;
    while (this.#in.at < text.length) this.#readers[this.#in.top.kind](text[this.#in.at] ?? '');
  }

  end(): void {
    const { text, depth } = this.#in;
    this.#in.endLine();
    if (this.#in.depth === 0 && !this.#in.awaitsDocument) return;
    throw new SyntaxError(`sh\`…\` ends within ${depth} quotes or brackets: ${text}`);
  }

  readonly #readers: Readonly<Record<Kind, (char: string) => void>> = {
    command: (char) => this.#command(char),
    single: () => this.#in.popBehind("'"),
    // The line break ends the command too.
    comment: () => this.#in.popBehind('\n', 0),
    document: (char) => this.#document(char),
    double: (char) => this.#quoted(char, '"'),
    parameter: (char) => this.#quoted(char, '}'),
    arithmetic: (char) => this.#arithmetic(char),
  };

  #command(char: string): void {
    const scan = this.#in;
    if (/\s/.test(char)) this.#space(char);
    else if (char === '#' && scan.top.word === '') scan.push('comment', 1);
    else if (';&|'.includes(char)) scan.endCommand(1);
    else if (char === '<' || char === '>') this.#redirection();
    else if (char === '(' || char === ')') this.#bracket(char);
    else if (char === '"') scan.push('double', 1);
    else if (char === "'") scan.push('single', 1);
    else this.#special(char);
  }

  /** What means the same in every kind of text that the shell expands. */
  #special(char: string): void {
    const scan = this.#in;
    const rest = scan.text.slice(scan.at, scan.at + 3);
    if (char === '`' || /^\$['"]/.test(rest)) throw refused(scan.text);
    if (char === '\\' && rest.length === 1) throw refused(scan.text);
    if (rest.startsWith('$((')) scan.push('arithmetic', 3);
    else if (rest.startsWith('$(')) scan.push('command', 2);
    else if (rest.startsWith('${')) scan.push('parameter', 2);
    else scan.take(char === '\\' || /^\$[#?$!@*-]/.test(rest) ? 2 : 1);
  }

  #quoted(char: string, end: string): void {
    const scan = this.#in;
    if (char === end) scan.pop(1);
    else if (char === '"') scan.push('double', 1);
    else if (char !== "'" || end === '"') this.#special(char);
    else if (scan.isWithin('double')) throw refused(scan.text);
    else scan.push('single', 1);
  }

  #arithmetic(char: string): void {
    const scan = this.#in;
    if (char === ')' && scan.top.brackets === 0) {
      if (!scan.text.startsWith('))', scan.at)) throw refused(scan.text);
      scan.pop(2);
      return;
    }
    scan.top.brackets += { '(': 1, ')': -1 }[char] ?? 0;
    this.#special(char);
  }

  #document(char: string): void {
    if (char !== '\n') this.#in.take(1);
    else {
      this.#in.endLine();
      this.#in.at += 1;
    }
  }

  #space(char: string): void {
    const scan = this.#in;
    if (char !== '\n') scan.endWord(1);
    else scan.endCommand(1);
    if (char === '\n' && scan.awaitsDocument) scan.push('document', 0);
  }

  #redirection(): void {
    const scan = this.#in;
    DOCUMENT.lastIndex = scan.at;
    const match = DOCUMENT.exec(scan.text);
    if (match !== null) {
      scan.awaitDocument(match[1] ?? match[2] ?? match[3] ?? '', match[0].length);
    } else {
      if (scan.text.startsWith('<<', scan.at)) throw refused(scan.text);
      scan.endWord(1);
    }
  }

  #bracket(char: string): void {
    const scan = this.#in;
    scan.endCommand(0);
    if (char === '(') scan.push('command', 1);
    else if (scan.top.cases > 0) scan.at += 1;
    else if (scan.depth > 0) scan.pop(1);
    else throw new SyntaxError(`sh\`…\` closes a bracket that nothing opened: ${scan.text}`);
  }
}

/** A fault of a template: nobody can tell whether a value would be safe in it. */
export function refused(text: string): SyntaxError {
  return new SyntaxError(`sh\`…\` cannot judge a value or a quote here: ${text}`);
}
