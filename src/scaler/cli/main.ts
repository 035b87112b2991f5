/** The entry of `tsprov-scaler`: picks a command, turns errors into messages and exit codes. */
import { Command, CommanderError } from 'commander';

import { InvalidInput } from '../../shared/errors.ts';
import { version } from '../version.ts';
import { colours } from './colours.ts';
import { COMMANDS } from './command-list.ts';
import { EXIT } from './exit-codes.ts';

/** Runs the command line. Sets `process.exitCode`; never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  // Whoever read our output has left (`tsprov-scaler … | head`).
  process.stdout.on('error', () => undefined);
  try {
    const program = await programFor(argv);
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = report(error);
  }
}

async function programFor(argv: readonly string[]): Promise<Command> {
  const program = new Command('tsprov-scaler')
    .description('Scales workloads of Kubernetes on events, from and to zero.')
    .version(version(), '--version', 'show the version')
    .exitOverride()
    .showHelpAfterError('(tsprov-scaler --help lists the commands)');
  const wanted = argv.slice(2).find((word) => !word.startsWith('-'));
  for (const [name, { summary, make }] of Object.entries(COMMANDS)) {
    const command = name === wanted ? await make() : new Command();
    program.addCommand(command.name(name).summary(summary).exitOverride());
  }
  return program;
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof InvalidInput) {
    process.stderr.write(`${colours().red(error.message)}\n`);
    const isInFile = error.problems.some(({ place }) => place !== undefined);
    return isInFile ? EXIT.invalid : EXIT.error;
  }
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.stderr.write('This is a fault of tsprov-scaler, please report it.\n');
  return EXIT.fault;
}
