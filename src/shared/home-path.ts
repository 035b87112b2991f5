/** Paths of the controller that begin at somebody's home. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';

/** Replaces a leading `~` by the user's own home, and `~name` by that of a user of this machine. */
export function expandHome(path: string): string {
  const [start = '', name = ''] = /^~([^/]*)(?=\/|$)/.exec(path) ?? [];
  if (start === '') return path;
  const home = name === '' ? homedir() : homeOf(name);
  return home === undefined ? path : home + path.slice(start.length);
}

function homeOf(name: string): string | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return lines.map((line) => line.split(':')).find(([user]) => user === name)?.[5];
}
