/** Finds the modules in `src/modules` and what each of them is called. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
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
export function readModules(directory = MODULE_DIRECTORY): readonly ModuleFile[] {
  const files = readdirSync(directory).filter(
    (file) => /^[a-z].*\.ts$/.test(file) && file !== 'registry.ts',
  );
  return files
    .map((file) => readModule(directory, file))
    .sort((a, b) => (a.module.name < b.module.name ? -1 : 1));
}

/** Loads at once, not later: mocha wants to know all tests when it has read a file. */
const load = createRequire(import.meta.url);

function readModule(directory: string, file: string): ModuleFile {
  const exports = load(`${directory}${file}`) as object; // A namespace of exports is an object.
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
