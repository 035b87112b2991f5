import type { Output, Shell } from '../connection/connection.ts';
import { sweepScript } from './sweep.ts';

/** Scripts of one frame together hold at most this many characters, unless a single one is longer. */
const FRAME_LIMIT_CHARACTERS = 256 * 1024;

interface Question {
  readonly script: string;
  readonly promise: Promise<Output>;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

/**
 * Lets all reads that are asked in one tick travel in one frame. A script that is asked twice in a tick runs
 * once: scripts given here only read.
 */
export class ReadQueue {
  readonly #shell: Pick<Shell, 'runAll'>;
  #waiting = new Map<string, Question>();
  #isSwept = false;

  constructor(shell: Pick<Shell, 'runAll'>) {
    this.#shell = shell;
  }

  /** Runs a script that only reads. Throws Unreachable when the connection is lost. */
  run(script: string): Promise<Output> {
    if (this.#waiting.size === 0) setImmediate(() => this.#flush());
    const asked = this.#waiting.get(script) ?? question(script);
    this.#waiting.set(script, asked);
    return asked.promise;
  }

  #flush(): void {
    const questions = [...this.#waiting.values()];
    this.#waiting = new Map();
    for (const batch of batches(questions)) void this.#send(batch);
  }

  /** The first frame of a shell also removes what a killed write of an earlier connection left behind. */
  async #runAll(scripts: readonly string[]): Promise<Output[]> {
    if (this.#isSwept) return await this.#shell.runAll(scripts);
    this.#isSwept = true;
    return (await this.#shell.runAll([sweepScript(), ...scripts])).slice(1);
  }

  async #send(batch: readonly Question[]): Promise<void> {
    try {
      const outputs = await this.#runAll(batch.map(({ script }) => script));
      for (const [i, { resolve, reject }] of batch.entries()) {
        const output = outputs[i];
        if (output === undefined) reject(new Error('a batch of reads came back too short'));
        else resolve(output);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

const queues = new WeakMap<Pick<Shell, 'runAll'>, ReadQueue>();

/** The one queue of a shell. */
export function readQueueOf(shell: Pick<Shell, 'runAll'>): ReadQueue {
  const queue = queues.get(shell) ?? new ReadQueue(shell);
  queues.set(shell, queue);
  return queue;
}

function question(script: string): Question {
  let resolve: Question['resolve'] = () => {};
  let reject: Question['reject'] = () => {};
  const promise = new Promise<Output>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { script, promise, resolve, reject };
}

function batches(questions: readonly Question[]): Question[][] {
  const made: Question[][] = [];
  let room = 0;
  for (const each of questions) {
    if (made.length === 0 || each.script.length > room) {
      made.push([]);
      room = FRAME_LIMIT_CHARACTERS;
    }
    made.at(-1)?.push(each);
    room -= each.script.length;
  }
  return made;
}
