/** Links on the way to a path, as the host has them. */
import { posix } from 'node:path';
import { sh } from '../../shared/shell.ts';

/** A script that prints, for an absolute path, what `parseLinks` reads. */
export function linksScript(path: string): string {
  return sh`l=${path}; d=${posix.dirname(path)}
until [ -d "$d" ]; do if [ -L "$d" ]; then l=$d; fi; d=\${d%/*}; d=\${d:-/}; done
(cd -P -- "$d" && printf '%s\\0%s\\0' "$d" "$PWD") 2>/dev/null || printf '%s\\0%s\\0' "$d" "$d"
if [ -L "$l" ]; then printf '%s\\0' "$l"; readlink "$l"; fi`.line;
}

/** Each link, or directory below a link, with where it leads: also a link on the way that leads to nothing. */
export function parseLinks(output: string): ReadonlyMap<string, string> {
  const [directory = '/', real = '/', path = '/', target = ''] = output.split('\0');
  const links = new Map<string, string>();
  if (directory !== real) links.set(directory, real);
  const name = posix.join(real, posix.relative(directory, path));
  if (target !== '') links.set(name, posix.resolve(posix.dirname(name), target.replace(/\n$/, '')));
  return links;
}
