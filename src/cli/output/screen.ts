/** Where lines go: stdout, and on a terminal one live line below them. */

const REFRESH_MS = 200;
const ERASE = '\r\u001b[2K';

/** Writes lines; keeps a footer below them while one is set. */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  readonly #columns: () => number;
  #footer: (() => string) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isShown = false;
  #isMidLine = false;

  constructor(out: NodeJS.WriteStream = process.stdout) {
    this.#out = out;
    this.#columns = () => (out.isTTY ? out.columns : 80);
  }

  /** Width that banners fill. */
  get columns(): number {
    return this.#columns();
  }

  write(text: string): void {
    if (text === '') return;
    this.#erase();
    this.#out.write(text);
    this.#isMidLine = !text.endsWith('\n');
  }

  /** What stands below the lines from now on; undefined takes it away. Nothing where stdout is no terminal. */
  footer(text: (() => string) | undefined): void {
    if (!this.#out.isTTY) return;
    this.#footer = text;
    if (text === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#erase();
      return;
    }
    this.#timer ??= setInterval(() => this.#draw(), REFRESH_MS).unref();
  }

  /** Something else is about to write to the terminal. */
  makeWay(): void {
    this.#erase();
  }

  #draw(): void {
    if (this.#footer === undefined || this.#isMidLine) return;
    this.#out.write(`${ERASE}${this.#footer().slice(0, this.#columns() - 1)}`);
    this.#isShown = true;
  }

  #erase(): void {
    if (!this.#isShown) return;
    this.#out.write(ERASE);
    this.#isShown = false;
  }
}
