/** Where lines go: stdout, and on a terminal one live line below them; and the log. */
import type { Settings } from '../../engine/config/config-settings.ts';
import { LogFile } from './log-file.ts';
import type { Paint } from './palette.ts';

const REFRESH_MS = 200;
const ERASE = '\r\u001b[2K';

interface Ways extends Pick<Settings, 'logPath' | 'verboseToStderr'> {
  /** The colour of warnings. */
  readonly warn: Paint;
}

/** Writes lines; keeps a footer below them while one is set. */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  readonly #ways: Ways;
  readonly #log: LogFile | undefined;
  readonly #warned = new Set<string>();
  readonly #columns: () => number;
  #footer: (() => string) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isShown = false;
  #isMidLine = false;

  constructor(ways: Ways, out: NodeJS.WriteStream = process.stdout) {
    this.#out = out;
    this.#ways = ways;
    this.#log = ways.logPath === undefined ? undefined : new LogFile(ways.logPath);
    if (this.#log?.problem !== undefined) this.warn(this.#log.problem);
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
    this.#log?.write(text);
    this.#isMidLine = !text.endsWith('\n');
  }

  /** Writes what was asked for with `-v`. */
  detail(text: string): void {
    if (!this.#ways.verboseToStderr) {
      this.write(text);
      return;
    }
    this.#erase();
    process.stderr.write(text);
    this.#log?.write(text);
  }

  /** Writes a warning to stderr, once however often there is reason for it. */
  warn(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    const line = `[WARNING]: ${text}\n`;
    this.#erase();
    process.stderr.write(this.#ways.warn(line));
    this.#log?.write(line, 'WARNING');
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
