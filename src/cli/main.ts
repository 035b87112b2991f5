/** The entry of the command line: picks a command, turns errors into messages and exit codes. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { InvalidInput, TaskError, Unreachable } from '../shared/errors.ts';
import { EXIT } from './exit-codes.ts';

type CommandMaker = (signal: AbortSignal) => Promise<Command>;

/** Commands are loaded when they are called, so that `--version` starts at once. */
const COMMANDS: Readonly<Record<string, CommandMaker>> = {
  play: async (signal) => (await import('./commands/play.ts')).playCommand(signal),
  doc: async () => (await import('./commands/doc.ts')).docCommand(),
  inventory: async () => (await import('./commands/inventory.ts')).inventoryCommand(),
  vault: async () => (await import('./commands/vault.ts')).vaultCommand(),
};

const SUMMARIES: Readonly<Record<string, string>> = {
  play: 'bring hosts to the state that playbooks declare',
  doc: 'show the documentation of modules',
  inventory: 'show hosts, groups and their variables',
  vault: 'encrypt and decrypt files and values',
};

/** Runs the command line. Sets `process.exitCode`; never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  onInterrupt(interrupt);
  try {
    const program = await programFor(argv, interrupt.signal);
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = report(error, interrupt.signal);
  }
}

async function programFor(argv: readonly string[], signal: AbortSignal): Promise<Command> {
  const program = new Command('tsprov')
    .description('Agentless provisioning that speaks the language of Ansible playbooks.')
    .version(version(), '--version', 'show the version')
    .exitOverride()
    .configureHelp({ showGlobalOptions: false });
  const wanted = argv.slice(2).find((word) => !word.startsWith('-'));
  for (const [name, make] of Object.entries(COMMANDS)) {
    const command = name === wanted ? await make(signal) : new Command(name).summary(SUMMARIES[name] ?? '');
    program.addCommand(command.exitOverride());
  }
  return program;
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version; // Our own file.
}

/** The first Ctrl-C ends the run in order, the second at once. */
function onInterrupt(interrupt: AbortController): void {
  const stop = () => {
    if (interrupt.signal.aborted) process.exit(EXIT.interrupted);
    process.stderr.write('\ninterrupted: ending what runs on the hosts (again to stop at once)\n');
    interrupt.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function report(error: unknown, signal: AbortSignal): number {
  if (signal.aborted) return EXIT.interrupted;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.failed;
  if (error instanceof InvalidInput) {
    process.stderr.write(`${pc.red(error.message)}\n`);
    return error.problems.some(({ place }) => place !== undefined) ? EXIT.unreachable : EXIT.error;
  }
  if (error instanceof TaskError || error instanceof Unreachable) {
    process.stderr.write(`${pc.red(error.message)}\n`);
    return EXIT.error;
  }
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.stderr.write('This is a fault of tsprov, please report it.\n');
  return EXIT.fault;
}
