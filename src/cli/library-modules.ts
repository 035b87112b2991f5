/** Modules that users write: one file each in a `library/` directory, in JavaScript or TypeScript. */
import { readdirSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { extname, join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Module } from '../engine/module.ts';
import { InvalidInput } from '../shared/errors.ts';

const EXTENSIONS = new Set(['.js', '.mjs', '.ts']);

/** The files of modules by name: `library/my_module.ts` is the module `my_module`. */
export function findLibraryModules(directories: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const directory of directories) {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const { name, ext } = parse(entry.name);
      const isModule = !entry.isDirectory() && EXTENSIONS.has(ext) && !entry.name.endsWith('.d.ts');
      if (isModule && !files.has(name)) files.set(name, join(directory, entry.name));
    }
  }
  return files;
}

/** The names of modules and plugins that are written in Python: those of their files. */
export function pythonFiles(directories: readonly string[]): ReadonlySet<string> {
  const entries = directories.flatMap((directory) => readdirSync(directory));
  const files = entries.map((entry) => parse(entry)).filter(({ ext }) => ext === '.py');
  return new Set(files.map(({ name }) => name).filter((name) => name !== '__init__'));
}

/** The other names of modules, as their files declare them: name → name of the file. */
export async function libraryAliases(
  files: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const aliases = new Map<string, string>();
  for (const [name, file] of files)
    for (const alias of await aliasesIn(file)) {
      const short = alias.replace(/^ansible\.builtin\./, '');
      for (const each of [alias, short]) if (!aliases.has(each)) aliases.set(each, name);
    }
  return aliases;
}

const HAS_ALIASES = /\baliases\b(?!\s*:\s*\[\s*\])/;

async function aliasesIn(file: string): Promise<readonly string[]> {
  if (!HAS_ALIASES.test(readFileSync(file, 'utf8'))) return [];
  try {
    return (await loadLibraryModule(file)).aliases;
  } catch {
    return []; // A task that uses it will tell.
  }
}

/** The module that a file exports. Throws InvalidInput where it exports none, or cannot be loaded. */
export async function loadLibraryModule(file: string): Promise<Module> {
  offerOurselves();
  if (extname(file) === '.ts') offerTypeScript();
  const exported = await importFile(file);
  const found = Object.values(exported).find(isModule);
  if (found !== undefined) return { ...found, name: parse(file).name };
  throw InvalidInput.at(
    { file, line: 1, column: 1 },
    'the file exports no module',
    'export what defineModule, defineConversation or defineFront of "tsprov" gives',
  );
}

async function importFile(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>; // Any namespace is one.
  } catch (error) {
    const place = { file, line: 1, column: 1 };
    const message = `the module cannot be loaded: ${error instanceof Error ? error.message : String(error)}`;
    throw new InvalidInput([{ place, message }], { cause: error });
  }
}

function isModule(value: unknown): value is Module {
  if (typeof value !== 'object' || value === null) return false;
  const beats = 'run' in value || 'choose' in value || ('probe' in value && 'plan' in value);
  return beats && 'args' in value && 'examples' in value;
}

let isOffered = false;

/** Lets `import … from 'tsprov'` in a library find this very program, installed beside it or not. */
function offerOurselves(): void {
  if (isOffered) return;
  isOffered = true;
  const ourselves = new URL(`../index${extname(import.meta.filename)}`, import.meta.url).href;
  addHooks(`export async function resolve(specifier, context, next) {
    if (specifier !== 'tsprov') return next(specifier, context);
    return { url: ${JSON.stringify(ourselves)}, format: 'module', shortCircuit: true };
  }`);
}

let canReadTypeScript =
  extname(import.meta.filename) === '.ts' ||
  ('typescript' in process.features && process.features.typescript !== false);

/** Node 20 cannot read TypeScript by itself: esbuild takes the types out. */
function offerTypeScript(): void {
  if (canReadTypeScript) return;
  canReadTypeScript = true;
  addHooks(`import { readFileSync } from 'node:fs';
  import { fileURLToPath } from 'node:url';
  import esbuild from ${JSON.stringify(import.meta.resolve('esbuild'))};
  export async function load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    const sourcefile = fileURLToPath(url);
    const options = { loader: 'ts', format: 'esm', target: 'node20', sourcefile, sourcemap: 'inline' };
    const { code } = esbuild.transformSync(readFileSync(sourcefile, 'utf8'), options);
    return { format: 'module', source: code, shortCircuit: true };
  }`);
}

/** Loader hooks for the modules that are imported from now on. */
function addHooks(source: string): void {
  register(`data:text/javascript,${encodeURIComponent(source)}`);
}
