import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The plain files that match a pattern with `*`, `?` and `[...]`, as Python's glob finds them. */
export function listFiles(pattern: string): readonly string[] {
  return expand(pattern).filter(
    (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  );
}

function expand(pattern: string): readonly string[] {
  const absolute = pattern.startsWith('/');
  const parts = pattern.split('/').filter((part) => part !== '');
  return parts.reduce<readonly string[]>(
    (directories, part) => directories.flatMap((directory) => children(directory, part)),
    [absolute ? '/' : ''],
  );
}

function children(directory: string, part: string): readonly string[] {
  if (!/[*?[]/.test(part)) return [directory === '' ? part : join(directory, part)];
  const matcher = globPattern(part);
  const names = entries(directory).filter((name) => matcher.test(name) && visible(name, part));
  return names.map((name) => (directory === '' ? name : join(directory, name)));
}

function visible(name: string, part: string): boolean {
  return !name.startsWith('.') || part.startsWith('.');
}

function entries(directory: string): readonly string[] {
  try {
    const found: Dirent[] = readdirSync(directory === '' ? '.' : directory, {
      withFileTypes: true,
    });
    return found.map(({ name }) => name);
  } catch {
    return [];
  }
}

function globPattern(part: string): RegExp {
  const source = part.replace(/\[(!?)([^\]]+)\]|[*?]|[\\^$.|+(){}[\]]/g, (whole, negated, set) => {
    if (set !== undefined) return `[${negated ? '^' : ''}${set.replaceAll('\\', '\\\\')}]`;
    if (whole === '*') return '[^/]*';
    return whole === '?' ? '[^/]' : `\\${whole}`;
  });
  return new RegExp(`^${source}$`, 's');
}
