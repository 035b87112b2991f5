/** Reads the project's own sources for the tests of its architecture. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** One source file. Paths are relative to the repository. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lineCount: number;
  readonly imports: readonly Import[];
}

interface Import {
  /** A file of ours by its path, or a package by its name; Node's own have the prefix `node:`. */
  readonly target: string;
  readonly isOurs: boolean;
  readonly isTypeOnly: boolean;
  /** Loaded when it is first used: `import('…')`. */
  readonly isLazy: boolean;
}

const IMPORTS =
  /^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;

/** Every TypeScript file below a folder. */
export function readSources(folder: string): readonly SourceFile[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return entries
    .filter((entry) => entry.endsWith('.ts'))
    .sort()
    .map((entry) => readSource(join(folder, entry)));
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const imports = [...text.matchAll(IMPORTS)].map(([, type, from, bare, dynamic]) =>
    readImport(path, from ?? bare ?? dynamic ?? '', {
      isTypeOnly: type !== undefined,
      isLazy: dynamic !== undefined,
    }),
  );
  return { path, text, lineCount: text.split('\n').length - 1, imports };
}

function readImport(
  path: string,
  specifier: string,
  kind: Pick<Import, 'isTypeOnly' | 'isLazy'>,
): Import {
  if (specifier.startsWith('.')) {
    return { target: relative('.', join(dirname(path), specifier)), isOurs: true, ...kind };
  }
  const [scope = '', name] = specifier.split('/');
  const target = scope.startsWith('@') ? `${scope}/${name}` : scope;
  return { target, isOurs: false, ...kind };
}

/** Files and packages that are loaded together with a file: what it imports, at any depth, but not lazily. */
export function loadedWith(start: string, files: readonly SourceFile[]): ReadonlySet<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const { target, isTypeOnly, isLazy } of byPath.get(path)?.imports ?? []) {
      if (!isTypeOnly && !isLazy) visit(target);
    }
  };
  visit(start);
  return found;
}

/** Groups of files that import each other in a circle, type imports included. */
export function findCycles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const graph = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter(({ isOurs }) => isOurs).map(({ target }) => target),
    ]),
  );
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
