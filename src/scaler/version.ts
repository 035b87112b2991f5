import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of the program, wherever the build has put this. */
export function version(): string {
  let directory = import.meta.dirname;
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory);
  const text = readFileSync(join(directory, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version; // Our own file.
}
