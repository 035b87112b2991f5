import { loadConfig } from '../engine/config.ts';
import { secretSources } from '../engine/vault/secret-source.ts';
import { encryptWith, type VaultSecrets } from '../engine/vault/secrets.ts';
import { askNewSecret, askSecret, askSecretAtTerminal } from './ask.ts';
import { readVaultSecrets, type VaultFlags, vaultOptions } from './vault-options.ts';

/** The options of commands that encrypt. */
export interface EncryptFlags extends VaultFlags {
  readonly encryptVaultId?: string;
  readonly output?: string;
}

/** The secrets given, or one asked for where none is. */
export async function openingSecrets(
  flags: VaultFlags,
  inputs: readonly string[] = [],
): Promise<VaultSecrets> {
  const { settings } = loadConfig();
  const needsPrompt = secretSources(vaultOptions(flags, settings)).length === 0;
  return readVaultSecrets(
    needsPrompt ? { ...flags, askVaultPass: true } : flags,
    settings,
    askerFor(inputs),
  );
}

/** How to encrypt with the secret that the options choose. Throws InvalidInput where they do not choose one. */
export async function encrypter(
  flags: EncryptFlags,
  inputs: readonly string[] = [],
): Promise<(data: Buffer) => string> {
  const { settings } = loadConfig();
  const needsPrompt = secretSources(vaultOptions(flags, settings)).length === 0;
  const asked = needsPrompt ? { ...flags, askVaultPass: true } : flags;
  const secrets = await readVaultSecrets(asked, settings, (question) =>
    askNewSecret(`New ${question}`, askerFor(inputs)),
  );
  const secret = secrets.secretFor(flags.encryptVaultId ?? settings.vaultEncryptIdentity);
  return (data) => encryptWith(secret, data, configuredSalt());
}

/** Where `-` is among the inputs, standard input holds what is to be worked on. */
function askerFor(inputs: readonly string[]): (question: string) => Promise<string> {
  return inputs.includes('-') ? askSecretAtTerminal : askSecret;
}

/** The salt that the configuration fixes, for results that do not change when nothing does. */
export function configuredSalt(): Buffer | undefined {
  const { vaultEncryptSalt } = loadConfig().settings;
  return vaultEncryptSalt === undefined ? undefined : Buffer.from(vaultEncryptSalt);
}

/** Tells the person at the terminal that it is done; a pipe is told nothing. */
export function announce(text: string): void {
  if (process.stdout.isTTY) process.stderr.write(`${text}\n`);
}
