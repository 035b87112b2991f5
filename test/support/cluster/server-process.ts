import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface ServerCommand {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Beside that of the test. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where both its outputs go; kept over restarts. */
  readonly log: string;
  /** Whether it can be used already. */
  readonly isReady: () => Promise<boolean>;
}

const START_TIMEOUT_MS = 180_000;

/** A server that a test starts, stops and starts again; it dies with the test. */
export class ServerProcess {
  readonly #command: ServerCommand;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(command: ServerCommand) {
    this.#command = command;
  }

  /** Of the process, which must run. */
  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`${this.#command.name} does not run`);
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Resolves when it is ready; rejects with the end of its log where it ends before. */
  async start(): Promise<void> {
    if (this.#child !== undefined) throw new Error(`${this.#command.name} runs already`);
    const { file, args, env, log } = this.#command;
    const output = openSync(log, 'a');
    // A test that is killed cannot stop what it started.
    const words = ['--pdeathsig', 'KILL', '--', file, ...args];
    const child = spawn('setpriv', words, {
      stdio: ['ignore', output, output],
      env: { ...process.env, ...env },
    });
    closeSync(output);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      const end = () => {
        if (this.#child === child) this.#child = undefined;
        resolve();
      };
      child.once('exit', end).once('error', end);
    });
    await this.#ready();
  }

  /** Ends it and resolves when it is gone. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#child?.kill(signal);
    await this.#ended;
  }

  async restart(signal?: NodeJS.Signals): Promise<void> {
    await this.stop(signal);
    await this.start();
  }

  /** Stops it in its tracks, as a machine that is overloaded; `resume` lets it go on. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async #ready(): Promise<void> {
    const { name, log, isReady } = this.#command;
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (performance.now() < deadline) {
      if (this.#child === undefined) throw new Error(`${name} has ended:\n${await tail(log)}`);
      if (await isReady().catch(() => false)) return;
      await delay(50);
    }
    throw new Error(`${name} is not ready after ${START_TIMEOUT_MS} ms:\n${await tail(log)}`);
  }
}

async function tail(log: string): Promise<string> {
  return (await readFile(log, 'utf8')).slice(-3000);
}
