/** Writes the reference pages of `docs/modules/` from the modules. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { renderModuleIndex, renderModulePage } from '../src/cli/output/module-page.ts';
import { readModules } from './module-files.ts';

const PAGES = fileURLToPath(new URL('../docs/modules/', import.meta.url));

mkdirSync(PAGES, { recursive: true });
for (const page of readdirSync(PAGES)) rmSync(`${PAGES}${page}`);

const modules = (await readModules()).map(({ module }) => module);
writeFileSync(`${PAGES}README.md`, renderModuleIndex(modules));
for (const module of modules) writeFileSync(`${PAGES}${module.name}.md`, renderModulePage(module));
