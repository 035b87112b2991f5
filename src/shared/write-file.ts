import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces a file of this machine in one step: readers see the old content or the new. A file that exists
 * keeps its permissions; a new one is readable by its owner only, unless `mode` says otherwise.
 */
export function writeFileAtomic(path: string, content: string | Buffer, mode?: number): void {
  const kept = mode ?? (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o7777;
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(file, content);
    fchmodSync(file, kept);
    fsyncSync(file);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}
