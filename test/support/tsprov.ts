import { join } from 'node:path';
import { exists } from './cache.ts';
import { type CommandOptions, type CommandResult, runCommand } from './run-command.ts';

/** The repository's folder. */
export const REPOSITORY = join(import.meta.dirname, '../..');

/** The program that a user starts: the built one, or where $TSPROV_BIN says. Throws where nothing is built. */
export async function tsprovProgram(): Promise<string> {
  const program = process.env['TSPROV_BIN'] ?? join(REPOSITORY, 'bin/tsprov.js');
  const built = await exists(join(program, '../../dist/cli/main.js'));
  if (!built) throw new Error('tsprov is not built: npm run build');
  return program;
}

/** Runs tsprov as a user does, in a process of its own. */
export async function runTsprov(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return runCommand(process.execPath, [await tsprovProgram(), ...args], options);
}
