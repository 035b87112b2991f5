/**
 * The process that a person starts. Expressions and lookups are evaluated in one go, during which a process hears no
 * signal: what works on hosts is therefore a child process, and this one ends it where it does not end by itself.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { CommandEntry } from './command-entry.ts';
import { COMMANDS } from './command-list.ts';
import { EXIT } from './exit-codes.ts';
import { endProcesses, processesBelow } from './process-tree.ts';

/** Tells the child what it is. It does not reach what the child starts. */
const MARK = 'TSPROV_WATCHED';
/** A child that is told to end and says nothing for so long is stuck. */
const SILENCE_MS = 1900;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Runs the command line, in a child process where it works on hosts. Sets `process.exitCode`. */
export async function main(argv: readonly string[]): Promise<void> {
  const isWatched = process.env[MARK] === String(process.ppid);
  delete process.env[MARK];
  const entry = commandOf(argv);
  if (!isWatched && (entry?.contactsHosts === true || entry?.runsPrograms === true)) {
    process.exitCode = await watch(argv, { isPatient: entry.contactsHosts === true });
    return;
  }
  const program = await import('./main.ts');
  await program.main(argv, { isWatched });
  // Whatever still goes on, such as a hash that took too long, nobody waits for it.
  if (process.exitCode !== EXIT.interrupted) await shown();
  process.exit();
}

/** When everything that was printed has gone out, or its reader has left. */
async function shown(): Promise<void> {
  const streams = [process.stdout, process.stderr];
  await Promise.all(
    streams.map((stream) => new Promise<void>((done) => stream.write('', () => done()))),
  );
}

function commandOf(argv: readonly string[]): CommandEntry | undefined {
  const words = argv.slice(2);
  if (words.includes('--help')) return undefined;
  return COMMANDS[words.find((word) => !word.startsWith('-')) ?? ''];
}

/** Runs the same command line in a child and gives its exit code. */
async function watch(
  argv: readonly string[],
  { isPatient }: { isPatient: boolean },
): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [MARK]: String(process.pid) },
  });
  const warden = new Warden(child, isPatient);
  for (const signal of SIGNALS) process.on(signal, () => warden.interrupt());
  child.on('message', () => warden.hear());
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (exitCode, signal) => resolve(exitCode ?? 128 + numberOf(signal)));
  });
  return (await warden.close()) ? EXIT.interrupted : code;
}

function numberOf(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal];
}

/** Passes an interrupt on to the child, and ends a child that is too busy to hear it. */
class Warden {
  readonly #child: ChildProcess;
  /** Whether a child may end in order: one that works on hosts has something to end there. */
  readonly #isPatient: boolean;
  #isInterrupted = false;
  /** The child was killed, with what it had started. */
  #killing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, isPatient: boolean) {
    this.#child = child;
    this.#isPatient = isPatient;
  }

  /** The first asks to end in order, the second ends at once. */
  interrupt(): void {
    if (this.#isInterrupted || !this.#isPatient) this.#kill();
    this.#isInterrupted = true;
    // A child that is about to end has no channel any more.
    if (this.#child.connected) this.#child.send('interrupt', () => undefined);
    this.#await();
  }

  /** The child is on its way to the end. */
  hear(): void {
    if (this.#isInterrupted) this.#await();
  }

  /** Whether the child had to be killed. */
  async close(): Promise<boolean> {
    clearTimeout(this.#timer);
    await this.#killing;
    return this.#killing !== undefined;
  }

  #await(): void {
    clearTimeout(this.#timer);
    if (this.#killing !== undefined) return;
    this.#timer = setTimeout(() => {
      process.stderr.write('interrupted in the middle of an evaluation: the run ends at once\n');
      this.#kill();
    }, SILENCE_MS);
  }

  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#killing !== undefined) return;
    // A busy child cannot end the scripts and commands that it waits for.
    const started = processesBelow(pid);
    this.#child.kill('SIGKILL');
    this.#killing = endProcesses(started);
  }
}
