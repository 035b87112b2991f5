/** The entry of the command line: picks a command, turns errors into messages and exit codes. */
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { TemplateError } from '../engine/jinja/errors.ts';
import { AmbiguousSecret } from '../engine/vault/secrets.ts';
import {
  formatProblem,
  InvalidInput,
  MissingHandler,
  TaskError,
  Unreachable,
} from '../shared/errors.ts';
import { Interrupted } from './ask.ts';
import { fullCommand } from './command-entry.ts';
import { COMMANDS } from './command-list.ts';
import { EXIT } from './exit-codes.ts';
import { onInterrupt } from './interrupt.ts';
import { OptionError, UsageError } from './option-error.ts';

interface Surroundings {
  /** Whether a parent process passes interrupts on, and ends this one where it does not hear them. */
  readonly isWatched?: boolean;
}

/** Runs the command line. Sets `process.exitCode`; never throws. */
export async function main(
  argv: readonly string[],
  { isWatched = false }: Surroundings = {},
): Promise<void> {
  const interrupt = new AbortController();
  setMaxListeners(0, interrupt.signal); // Each request on its way has a listener of its own.
  // Whoever read our output has left (`tsprov … | head`): a run ends in order, anything else is nearly done.
  process.stdout.on('error', () => interrupt.abort());
  try {
    const program = await programFor(argv, interrupt, isWatched);
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = report(error, interrupt.signal);
  }
}

async function programFor(
  argv: readonly string[],
  interrupt: AbortController,
  isWatched: boolean,
): Promise<Command> {
  const program = new Command('tsprov')
    .description('Agentless provisioning that speaks the language of Ansible playbooks.')
    .version(version(), '--version', 'show the version')
    .exitOverride()
    .showHelpAfterError('(tsprov --help lists the commands)');
  const wanted = argv.slice(2).find((word) => !word.startsWith('-'));
  for (const [name, entry] of Object.entries(COMMANDS)) {
    if (name !== wanted) {
      program.addCommand(new Command(name).summary(entry.summary));
      continue;
    }
    if (entry.contactsHosts) onInterrupt(interrupt, isWatched);
    const command = await fullCommand(name, entry, interrupt.signal);
    for (const each of [command, ...command.commands]) each.exitOverride();
    program.addCommand(command);
  }
  return program;
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version; // Our own file.
}

/** A mistake in a file is told apart from one on the command line. */
function inputCode(error: InvalidInput): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof OptionError || error instanceof AmbiguousSecret) return EXIT.badOptions;
  if (error instanceof MissingHandler) return EXIT.error;
  const isInFile = error.problems.some(
    ({ place, isLocked }) => place !== undefined && isLocked !== true,
  );
  return isInFile ? EXIT.malformed : EXIT.error;
}

function report(error: unknown, signal: AbortSignal): number {
  if (signal.aborted || error instanceof Interrupted) return EXIT.interrupted;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof InvalidInput) {
    process.stderr.write(`${pc.red(error.message)}\n`);
    return inputCode(error);
  }
  if (error instanceof TemplateError) {
    const place = error.position;
    process.stderr.write(`${pc.red(formatProblem({ place, message: error.message }))}\n`);
    return EXIT.error;
  }
  if (error instanceof TaskError || error instanceof Unreachable) {
    process.stderr.write(`${pc.red(error.message)}\n`);
    return EXIT.error;
  }
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.stderr.write('This is a fault of tsprov, please report it.\n');
  return EXIT.fault;
}
