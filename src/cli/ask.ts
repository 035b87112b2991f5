/** Questions to the person who runs the program: at a terminal, or answered line by line through a pipe. */
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import { TaskError } from '../shared/errors.ts';

/** Nobody answered: Ctrl-C. */
export class Interrupted extends TaskError {}

export interface AskOptions {
  /** Whether what is typed is shown; true unless told. */
  readonly echo?: boolean;
  /** Whether a line of standard input is an answer where there is no terminal; true unless told. */
  readonly fromPipe?: boolean;
}

/**
 * The answer to a question. A secret is asked at the terminal even where standard input is something else, as
 * getpass does. Throws TaskError where the input has ended, Interrupted at Ctrl-C.
 */
export async function ask(question: string, options: AskOptions = {}): Promise<string> {
  const { echo = true, fromPipe = true } = options;
  if (process.stdin.isTTY) return await askAt(process.stdin, question, echo);
  const terminal = echo ? undefined : openTerminal();
  if (terminal !== undefined) {
    try {
      return await askAt(terminal, question, echo);
    } finally {
      terminal.destroy();
    }
  }
  if (!fromPipe) throw unanswered(question, 'there is no terminal');
  process.stderr.write(question);
  const line = await nextLine();
  process.stderr.write('\n');
  if (line === undefined) throw unanswered(question, 'the input has ended');
  return line;
}

/** Asks for a secret without showing it. */
export async function askSecret(question: string): Promise<string> {
  return await ask(question, { echo: false });
}

/** Asks for a secret where standard input holds data, which is no answer. */
export async function askSecretAtTerminal(question: string): Promise<string> {
  return await ask(question, { echo: false, fromPipe: false });
}

/** Asks for a new secret twice, so that a slip is noticed. Throws TaskError where the answers differ. */
export async function askNewSecret(
  question: string,
  askOnce: (question: string) => Promise<string> = askSecret,
): Promise<string> {
  const secret = await askOnce(question);
  if ((await askOnce(`Confirm ${question}`)) === secret) return secret;
  throw new TaskError('the two answers differ');
}

function unanswered(question: string, why: string): TaskError {
  return new TaskError(`"${question.trim()}" was not answered: ${why}`, {
    hint: 'answer at a terminal or through a pipe, or say it with an option or a file',
  });
}

function openTerminal(): ReadStream | undefined {
  let file: number | undefined;
  try {
    file = openSync('/dev/tty', 'r+');
    return new ReadStream(file);
  } catch {
    if (file !== undefined) closeSync(file);
    return undefined;
  }
}

/** What ends each question that waits for an answer. */
const waiting = new Set<() => void>();

/** Ends every question that waits: the run was interrupted. */
export function abandonQuestions(): void {
  for (const abandon of waiting) abandon();
}

function askAt(input: ReadStream, question: string, echo: boolean): Promise<string> {
  const output = echo ? process.stderr : new Writable({ write: (_, __, done) => done() });
  const reader = createInterface({ input, output, terminal: true, historySize: 0 });
  // Not before the terminal is in raw mode: whoever answers at once would be heard otherwise.
  process.stderr.write(question);
  return new Promise((resolve, reject) => {
    const abandon = () => {
      end = () => reject(new Interrupted('interrupted'));
      reader.close();
    };
    waiting.add(abandon);
    let end = () => reject(unanswered(question, 'the input has ended'));
    reader.on('line', (line) => {
      end = () => resolve(line);
      reader.close();
    });
    reader.on('SIGINT', () => {
      end = () => reject(interrupted());
      reader.close();
    });
    reader.on('close', () => {
      waiting.delete(abandon);
      if (!echo) process.stderr.write('\n');
      end();
    });
  });
}

/** Raw mode keeps Ctrl-C from becoming a signal: whoever waits for one hears of it all the same. */
function interrupted(): Interrupted {
  process.emit('SIGINT');
  return new Interrupted('interrupted');
}

let pending = '';
let isEnded = false;

/** The next line of standard input; what follows it is kept for the next question. */
async function nextLine(): Promise<string | undefined> {
  while (!pending.includes('\n') && !isEnded) {
    // The end may have come between two questions, when nobody listened.
    if (process.stdin.readableEnded || process.stdin.destroyed) isEnded = true;
    else await more();
  }
  const [line = '', ...others] = pending.split('\n');
  if (isEnded && pending === '') return undefined;
  pending = others.join('\n');
  return line.replace(/\r$/, '');
}

function more(): Promise<void> {
  const { stdin } = process;
  return new Promise((resolve) => {
    const settle = () => {
      waiting.delete(finish);
      stdin.off('data', hear).off('end', finish).off('close', finish).off('error', finish).pause();
      resolve();
    };
    const hear = (chunk: Buffer) => {
      pending += chunk.toString('utf8');
      settle();
    };
    const finish = () => {
      isEnded = true;
      settle();
    };
    waiting.add(finish);
    stdin.on('data', hear).on('end', finish).on('close', finish).on('error', finish).resume();
  });
}
