import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { expandHome } from '../../shared/home-path.ts';
import { TemplateError } from './errors.ts';
import type { Runtime } from './objects.ts';

/** Every place where a file may be: in each directory of the search path, first in its subdirectory. */
export function candidates(
  runtime: Runtime,
  name: string,
  subdirectory: string,
): readonly string[] {
  const path = expandHome(name);
  if (isAbsolute(path)) return [normalize(path)];
  return runtime.host.searchPath.flatMap((directory) => [
    join(directory, subdirectory, path),
    join(directory, path),
  ]);
}

/** The first place where the file is, or undefined. */
export function findFile(runtime: Runtime, name: string, subdirectory: string): string | undefined {
  return candidates(runtime, name, subdirectory).find((path) => existsSync(path));
}

/** A file's bytes, decrypted where it is vaulted. Throws TemplateError where it cannot be read. */
export function readBytes(runtime: Runtime, path: string): Buffer {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (cause) {
    throw new TemplateError(`file "${path}" cannot be read`, { cause });
  }
  const decrypt = runtime.host.decryptFile;
  if (decrypt === undefined || !content.subarray(0, 15).equals(VAULT_HEADER)) return content;
  return Buffer.from(decrypt(content.toString('utf8')));
}

const VAULT_HEADER = Buffer.from('$ANSIBLE_VAULT;');

/** Whether there is a plain file. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
