import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory of this machine and those above it. Node.js can do so itself, but tries for ever where a file system
 * says of a new name that it does not exist, as /proc does.
 */
export function makeDirectories(path: string, mode?: number): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectories(parent, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Making it tells why. What `throwIfNoEntry` keeps back differs between versions of Node.js.
    return false;
  }
}
