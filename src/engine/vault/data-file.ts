import { readFileSync } from 'node:fs';
import { InvalidInput } from '../../shared/errors.ts';
import { table } from '../../shared/table.ts';
import { parseYaml, type YamlDocument, type YamlOptions } from '../yaml.ts';
import { isVault } from './envelope.ts';
import type { VaultSecrets } from './secrets.ts';

/** A file's content, opened where it is a vault. Throws InvalidInput where it cannot be read or no password fits. */
export function readFileOpened(
  path: string,
  secrets: VaultSecrets,
): { content: Buffer; encrypted: boolean } {
  const content = readBytes(path);
  if (!isVault(content)) return { content, encrypted: false };
  const place = { file: path, line: 1, column: 1 };
  return { content: secrets.decrypt(content.toString('latin1'), place), encrypted: true };
}

const REASONS: Readonly<Record<string, string>> = table({
  EACCES: 'permission is denied',
  EISDIR: 'it is a directory',
  ENOENT: 'it does not exist',
});

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const code = String(error.code);
    throw new InvalidInput([{ message: `${path} cannot be read: ${REASONS[code] ?? code}` }], {
      cause: error,
    });
  }
}

export interface DataFile extends YamlDocument {
  /** Whether the whole file is a vault, so that its values are secrets. */
  readonly encrypted: boolean;
}

/**
 * Reads a YAML or JSON file that may be a vault or hold `!vault` scalars. `name` is what messages call it.
 * Throws InvalidInput.
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
