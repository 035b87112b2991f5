/** Finds the modules in `src/modules` and what each of them is called. */
import { readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Module } from '../src/engine/module.ts';

export const MODULE_DIRECTORY = fileURLToPath(new URL('../src/modules/', import.meta.url));

/** A module and where it is written. */
export interface ModuleFile {
  /** File name, with `.ts`. */
  readonly file: string;
  /** The name under which it is exported. */
  readonly exported: string;
  readonly module: Module;
}

/** Every module, sorted by name. Throws where a file does not export exactly one. */
export async function readModules(directory = MODULE_DIRECTORY): Promise<readonly ModuleFile[]> {
  const files = readdirSync(directory).filter(
    (file) => /^[a-z].*\.ts$/.test(file) && file !== 'registry.ts',
  );
  const found = await Promise.all(files.map((file) => readModule(directory, file)));
  return found.sort((a, b) => (a.module.name < b.module.name ? -1 : 1));
}

async function readModule(directory: string, file: string): Promise<ModuleFile> {
  const exports = (await import(pathToFileURL(`${directory}${file}`).href)) as object; // A namespace of exports is an object.
  const modules = Object.entries(exports).filter((entry): entry is [string, Module] =>
    isModule(entry[1]),
  );
  const [only, ...others] = modules;
  if (only === undefined || others.length > 0) {
    throw new Error(`src/modules/${file} exports ${modules.length} modules; one is needed`);
  }
  return { file, exported: only[0], module: only[1] };
}

function isModule(value: unknown): value is Module {
  return typeof value === 'object' && value !== null && 'args' in value && 'examples' in value;
}
