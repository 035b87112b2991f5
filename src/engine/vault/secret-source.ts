import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, resolve } from 'node:path';
import { InvalidInput, type Problem } from '../../shared/errors.ts';
import { isVault } from './envelope.ts';
import { DEFAULT_LABEL, type VaultSecret, VaultSecrets } from './secrets.ts';

/** Where a vault password comes from. */
export interface SecretSource {
  readonly label: string;
  /** `prompt`, or the path of a password file or of a script that prints the password. */
  readonly from: string;
  /** Asked at the terminal. */
  readonly question: string;
}

export interface VaultOptions {
  /** `--vault-id`: `label@source` or `source`. */
  readonly vaultIds?: readonly string[] | undefined;
  /** `--vault-password-file`. */
  readonly passwordFiles?: readonly string[] | undefined;
  /** `--ask-vault-pass`. */
  readonly ask?: boolean | undefined;
  /** Only a password whose label is that of the data is tried. */
  readonly matchOnly?: boolean | undefined;
}

export type Ask = (question: string) => Promise<string>;

/** How vault passwords are asked for, and what is told of those that cannot be read. */
export interface SecretPorts {
  readonly ask: Ask;
  readonly warn: (problem: Problem) => void;
}

/**
 * Reads every vault password that options and configuration name, in their order; prompts come last. A file that
 * is missing or empty and a script that fails are passed over with a warning where there is another password;
 * where there is none, throws InvalidInput.
 */
export async function loadVaultSecrets(
  options: VaultOptions,
  { ask, warn }: SecretPorts,
): Promise<VaultSecrets> {
  const secrets: VaultSecret[] = [];
  const failures: InvalidInput[] = [];
  for (const source of secretSources(options)) {
    try {
      secrets.push({ label: source.label, password: await readSecret(source, secrets, ask) });
    } catch (error) {
      if (!(error instanceof InvalidInput) || isPrompt(source)) throw error;
      failures.push(error);
    }
  }
  const problems = failures.flatMap((failure) => failure.problems);
  if (secrets.length === 0 && problems.length > 0) throw new InvalidInput(problems);
  problems.forEach(warn);
  return new VaultSecrets(secrets, { matchOnly: options.matchOnly ?? false });
}

function isPrompt({ from }: SecretSource): boolean {
  return from === 'prompt' || from === 'prompt_ask_vault_pass';
}

/** The sources that options name, in the order in which they are read. */
export function secretSources({
  vaultIds = [],
  passwordFiles = [],
  ask = false,
}: VaultOptions): SecretSource[] {
  const identified = vaultIds.map(parseVaultId);
  const files = passwordFiles.map((from) => ({ label: DEFAULT_LABEL, from, question: '' }));
  const asked = { label: DEFAULT_LABEL, from: 'prompt', question: 'Vault password: ' };
  return [...identified, ...files, ...(ask ? [asked] : [])];
}

function parseVaultId(text: string): SecretSource {
  const at = text.indexOf('@');
  const label = at <= 0 ? DEFAULT_LABEL : text.slice(0, at);
  return { label, from: text.slice(at + 1), question: `Vault password (${label}): ` };
}

/** The password of one source. Throws InvalidInput. */
export async function readSecret(
  source: SecretSource,
  known: readonly VaultSecret[],
  ask: Ask,
): Promise<string> {
  const { label, from, question } = source;
  if (isPrompt(source)) return nonEmpty(await ask(question), 'the vault password is empty');
  const path = resolve(from.replace(/^~(?=\/|$)/, homedir()));
  const { mode } = statFile(path);
  const text = (mode & 0o111) === 0 ? readPassword(path, known) : runScript(path, label);
  return nonEmpty(text.trim(), `the vault password from ${path} is empty`);
}

function readPassword(path: string, known: readonly VaultSecret[]): string {
  const content = readFileSync(path);
  if (!isVault(content)) return content.toString('utf8');
  const place = { file: path, line: 1, column: 1 };
  return new VaultSecrets(known).decrypt(content.toString('latin1'), place).toString('utf8');
}

/** Only a script whose name ends in `-client` is told which vault id is wanted. */
function runScript(path: string, label: string): string {
  const isClient = path.slice(0, path.length - extname(path).length).endsWith('-client');
  const { error, status, stdout, stderr } = spawnSync(path, isClient ? ['--vault-id', label] : [], {
    encoding: 'utf8',
    stdio: ['inherit', 'pipe', 'pipe'],
  });
  if (error !== undefined) {
    const hint = 'remove its execute permission if it is a plain password file';
    throw new InvalidInput([
      { message: `the vault password script ${path} cannot be run: ${error.message}`, hint },
    ]);
  }
  if (status === 0) return stdout;
  const wanted = isClient ? ` for the vault id "${label}"` : '';
  const message = `the vault password script ${path} ended with status ${status}${wanted}`;
  throw InvalidInput.at(undefined, message, stderr.trim() || undefined);
}

function statFile(path: string) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() || stats?.isFIFO()) return stats;
  const fault = stats === undefined ? 'does not exist' : 'is not a file';
  throw InvalidInput.at(undefined, `the vault password file ${path} ${fault}`);
}

function nonEmpty(password: string, message: string): string {
  if (password === '') throw InvalidInput.at(undefined, message);
  return password;
}
