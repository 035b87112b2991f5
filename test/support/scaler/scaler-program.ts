import { join } from 'node:path';
import { exists } from '../cache.ts';
import { type CommandOptions, type CommandResult, runCommand } from '../run-command.ts';
import { REPOSITORY } from '../tsprov.ts';

/** The built `tsprov-scaler`, or where $TSPROV_SCALER_BIN says. Throws where nothing is built. */
export async function scalerProgram(): Promise<string> {
  const program = process.env['TSPROV_SCALER_BIN'] ?? join(REPOSITORY, 'bin/tsprov-scaler.js');
  const built = await exists(join(program, '../../dist/scaler/cli/main.js'));
  if (!built) throw new Error('tsprov-scaler is not built: npm run build');
  return program;
}

/** Runs tsprov-scaler as a user does, in a process of its own. */
export async function runScaler(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return runCommand(process.execPath, [await scalerProgram(), ...args], options);
}
