import { readFileSync } from 'node:fs';
import { InvalidInput } from '../../shared/errors.ts';
import { parseYaml, type YamlDocument, type YamlOptions } from '../yaml.ts';
import { isVault } from './envelope.ts';
import type { VaultSecrets } from './secrets.ts';

/** A file's content, opened where it is a vault. Throws InvalidInput where no password fits, Error of node:fs. */
export function readFileOpened(
  path: string,
  secrets: VaultSecrets,
): { content: Buffer; encrypted: boolean } {
  const content = readFileSync(path);
  if (!isVault(content)) return { content, encrypted: false };
  const place = { file: path, line: 1, column: 1 };
  return { content: secrets.decrypt(content.toString('latin1'), place), encrypted: true };
}

export interface DataFile extends YamlDocument {
  /** Whether the whole file is a vault, so that its values are secrets. */
  readonly encrypted: boolean;
}

/**
 * Reads a YAML or JSON file that may be a vault or hold `!vault` scalars. `name` is what messages call it.
 * Throws InvalidInput, or the Error of node:fs where the file cannot be read.
 */
export function readDataFile(
  path: string,
  secrets: VaultSecrets,
  options: Partial<Pick<YamlOptions, 'file' | 'trusted' | 'duplicateKeys'>> = {},
): DataFile {
  const { content, encrypted } = readFileOpened(path, secrets);
  const { file = path, trusted = true, duplicateKeys } = options;
  const text = decodeUtf8(content, file);
  const document = parseYaml(text, { file, trusted, duplicateKeys, decrypt: secrets.decryptText });
  return { ...document, encrypted };
}

function decodeUtf8(content: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw InvalidInput.at(
      { file, line: 1, column: 1 },
      'the file is not UTF-8',
      'convert it, e.g. with iconv',
    );
  }
}
