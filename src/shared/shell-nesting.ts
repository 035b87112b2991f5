/** What a reader of shell text is within: quotes, brackets, words. */

export type Kind =
  | 'command'
  | 'single'
  | 'double'
  | 'parameter'
  | 'arithmetic'
  | 'comment'
  | 'document';

/** One level of nesting. */
interface Frame {
  readonly kind: Kind;
  /** The word, or the line of a here-document, that is being read; a hole is NUL. */
  word: string;
  /** The words of the simple command before it. */
  words: string[];
  /** How many `case` are open: their patterns end with brackets that nothing opened. */
  cases: number;
  /** Round brackets that are open in arithmetic. */
  brackets: number;
}

/** Words and assignments that stand before the name of a command. */
export const BEFORE_COMMAND = /^(?:if|then|elif|else|while|until|do|!|\{|[A-Za-z_]\w*=.*)$/s;

/** A place in a text, and all that it is within. */
export class Nesting {
  text = '';
  at = 0;
  /** How the here-documents end whose text begins with the next line. */
  readonly #documents: string[] = [];
  readonly #frames: Frame[] = [frame('command')];

  get top(): Frame {
    return this.#frames[this.#frames.length - 1] ?? frame('command');
  }

  get depth(): number {
    return this.#frames.length - 1;
  }

  get awaitsDocument(): boolean {
    return this.#documents.length > 0;
  }

  isWithin(kind: Kind): boolean {
    return this.#frames.some((each) => each.kind === kind);
  }

  push(kind: Kind, length: number): void {
    this.take(length);
    this.#frames.push(frame(kind));
  }

  pop(length: number): void {
    this.#frames.pop();
    this.at += length;
  }

  take(length: number): void {
    this.top.word += this.text.slice(this.at, this.at + length);
    this.at += length;
  }

  /** Goes behind an end; to the end of the text where it is not there. */
  popBehind(end: string, length = end.length): void {
    const at = this.text.indexOf(end, this.at);
    if (at < 0) this.at = this.text.length;
    else this.pop(at + length - this.at);
  }

  endWord(length: number): void {
    const { word, words } = this.top;
    this.at += length;
    if (word === '') return;
    const isFirst = words.every((each) => BEFORE_COMMAND.test(each));
    if (isFirst && word === 'case') this.top.cases += 1;
    if (isFirst && word === 'esac') this.top.cases -= 1;
    words.push(word);
    this.top.word = '';
  }

  endCommand(length: number): void {
    this.endWord(length);
    this.top.words = [];
  }

  awaitDocument(end: string, length: number): void {
    this.#documents.push(end);
    this.endWord(length);
  }

  /** Ends the line of a here-document, and the document where that line is its end. */
  endLine(): void {
    if (this.top.kind !== 'document') return;
    const isEnd = this.top.word === this.#documents[0];
    this.top.word = '';
    if (!isEnd) return;
    this.#documents.shift();
    if (!this.awaitsDocument) this.#frames.pop();
  }
}

function frame(kind: Kind): Frame {
  return { kind, word: '', words: [], cases: 0, brackets: 0 };
}
