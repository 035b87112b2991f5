/** The file of `log_path`: all that is shown, without colours, each piece with its time. */
import { appendFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { stripVTControlCharacters } from 'node:util';

export class LogFile {
  readonly #path: string;
  /** Why nothing is logged. */
  readonly problem: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.problem = this.#append('');
  }

  /** Adds what was shown, in the format of Ansible's log. */
  write(text: string, level: 'INFO' | 'WARNING' = 'INFO'): void {
    const shown = stripVTControlCharacters(text).replace(/^\n+|\n+$/g, '');
    if (shown === '' || this.problem !== undefined) return;
    const head = `${timeText(new Date())} p=${process.pid} u=${userInfo().username} n=tsprov ${level}`;
    this.#append(`${head}| ${shown}\n`);
  }

  #append(text: string): string | undefined {
    try {
      appendFileSync(this.#path, text);
      return undefined;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return `nothing is logged, as the file of log_path cannot be written: ${why}`;
    }
  }
}

/** Local time with milliseconds, e.g. `2026-11-22 00:16:22,826`. */
function timeText(now: Date): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return local.toISOString().replace('T', ' ').replace('.', ',').replace('Z', '');
}
