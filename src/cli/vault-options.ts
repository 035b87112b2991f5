import { type Command, Option } from 'commander';
import type { Settings } from '../engine/config/config-settings.ts';
import { type Ask, loadVaultSecrets, type VaultOptions } from '../engine/vault/secret-source.ts';
import type { VaultSecrets } from '../engine/vault/secrets.ts';

import { formatProblem } from '../shared/errors.ts';

/** The vault options of a command line, as commander names them. */
export interface VaultFlags {
  readonly vaultId?: string[];
  readonly vaultPasswordFile?: string[];
  readonly askVaultPass?: boolean;
}

/** Adds `--vault-id`, `--vault-password-file` and `--ask-vault-pass` to a command. */
export function addVaultOptions(command: Command): Command {
  return command
    .option(
      '--vault-id <label@source>',
      'vault password: a file, a script or prompt (repeatable)',
      collect,
    )
    .option(
      '--vault-pass-file, --vault-password-file <path>',
      'file or script with the vault password',
      collect,
    )
    .option('-J, --ask-vault-pass', 'ask for the vault password')
    .addOption(new Option('--ask-vault-password').implies({ askVaultPass: true }).hideHelp());
}

/** For options that may be given more than once. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** What command line and configuration say together; what the command line says is tried first. */
export function vaultOptions(flags: VaultFlags, settings: Settings): VaultOptions {
  const configured = settings.vaultPasswordFile === undefined ? [] : [settings.vaultPasswordFile];
  return {
    vaultIds: [...settings.vaultIdentityList, ...(flags.vaultId ?? [])],
    passwordFiles: [...(flags.vaultPasswordFile ?? []), ...configured],
    ask: flags.askVaultPass ?? settings.askVaultPass,
    matchOnly: settings.vaultIdMatch,
  };
}

/** Reads the vault passwords that command line and configuration name. Throws InvalidInput. */
export function readVaultSecrets(
  flags: VaultFlags,
  settings: Settings,
  ask: Ask,
): Promise<VaultSecrets> {
  return loadVaultSecrets(vaultOptions(flags, settings), {
    ask,
    warn: (problem) => process.stderr.write(`[WARNING]: ${formatProblem(problem)}\n`),
  });
}
