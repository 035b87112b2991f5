import type { Output, RunOptions, Shell } from '../connection/connection.ts';
import { sweepScript } from './sweep.ts';

/** Scripts of one frame together hold at most this many characters, unless a single one is longer. */
const FRAME_LIMIT_CHARACTERS = 256 * 1024;

interface Question {
  readonly script: string;
  /** Of all who ask it; undefined for one who waits as long as it takes. */
  readonly signals: Set<AbortSignal | undefined>;
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

  /**
   * Runs a script that only reads. Throws Unreachable when the connection is lost, and the reason of the signal when it
   * is aborted, unless somebody else waits for the same.
   */
  run(script: string, signal?: AbortSignal): Promise<Output> {
    const asked = this.#waiting.get(script) ?? question(script);
    asked.signals.add(signal);
    this.#ask(asked);
    return asked.promise;
  }

  #ask(asked: Question): void {
    if (this.#waiting.size === 0) setImmediate(() => this.#flush());
    this.#waiting.set(asked.script, asked);
  }

  #flush(): void {
    const questions = [...this.#waiting.values()];
    this.#waiting = new Map();
    for (const batch of batches(questions)) void this.#send(batch);
  }

  /** The first frame of a shell also removes what a killed write of an earlier connection left behind. */
  async #runAll(scripts: readonly string[], options: RunOptions): Promise<Output[]> {
    if (this.#isSwept) return await this.#shell.runAll(scripts, options);
    this.#isSwept = true;
    return (await this.#shell.runAll([sweepScript(), ...scripts], options)).slice(1);
  }

  async #send(batch: readonly Question[]): Promise<void> {
    const signal = commonSignal(batch);
    try {
      const outputs = await this.#runAll(
        batch.map(({ script }) => script),
        { signal },
      );
      for (const [i, { resolve, reject }] of batch.entries()) {
        const output = outputs[i];
        if (output === undefined) reject(new Error('a batch of reads came back too short'));
        else resolve(output);
      }
    } catch (error) {
      for (const each of batch) this.#giveUp(each, signal, error);
    }
  }

  /** Asks again what was cut short for the sake of others and somebody still waits for. */
  #giveUp(asked: Question, signal: AbortSignal | undefined, error: unknown): void {
    for (const own of asked.signals) if (own?.aborted === true) asked.signals.delete(own);
    if (signal?.aborted === true && asked.signals.size > 0) this.#askAgain(asked);
    else asked.reject(error);
  }

  /** Where the same has been asked meanwhile, one answer is enough. */
  #askAgain(asked: Question): void {
    const same = this.#waiting.get(asked.script);
    if (same === undefined) {
      this.#ask(asked);
      return;
    }
    for (const signal of asked.signals) same.signals.add(signal);
    same.promise.then(asked.resolve, asked.reject);
  }
}

const queues = new WeakMap<Pick<Shell, 'runAll'>, ReadQueue>();

/** The one queue of a shell. */
export function readQueueOf(shell: Pick<Shell, 'runAll'>): ReadQueue {
  const queue = queues.get(shell) ?? new ReadQueue(shell);
  queues.set(shell, queue);
  return queue;
}

/** Aborted as soon as somebody no longer waits. */
function commonSignal(batch: readonly Question[]): AbortSignal | undefined {
  const signals = new Set(batch.flatMap((each) => [...each.signals]));
  const [first, ...others] = [...signals].filter((signal) => signal !== undefined);
  return first === undefined || others.length === 0 ? first : AbortSignal.any([first, ...others]);
}

function question(script: string): Question {
  let resolve: Question['resolve'] = () => {};
  let reject: Question['reject'] = () => {};
  const promise = new Promise<Output>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { script, signals: new Set(), promise, resolve, reject };
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
