/** Writes `src/modules/registry.ts` from the files beside it. */
import { writeFileSync } from 'node:fs';
import { MODULE_DIRECTORY, type ModuleFile, readModules } from './module-files.ts';

const modules = await readModules();
writeFileSync(`${MODULE_DIRECTORY}registry.ts`, render(modules));

function render(files: readonly ModuleFile[]): string {
  const loaders = files.map(
    ({ file, exported, module }) =>
      `  ${module.name}: async () => (await import('./${file}')).${exported},`,
  );
  const names = files.flatMap(({ module }) =>
    namesOf(module).map((name) => [name, module.name] as const),
  );
  const table = names
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, canonical]) => `  ${/^\w+$/.test(name) ? name : `'${name}'`}: '${canonical}',`);
  return `/** Every bundled module, loaded when it is first used. Written by \`npm run gen\`; do not edit. */
import type { Module } from '../engine/module.ts';

/** Loads a module by its canonical name. */
export const registry: Readonly<Record<string, () => Promise<Module>>> = {
${loaders.join('\n')}
};

/** Every name that a playbook may use, and the canonical name that it stands for. */
export const moduleNames: Readonly<Record<string, string>> = {
${table.join('\n')}
};
`;
}

/** A builtin answers to `ansible.legacy` too. */
function namesOf({ name, aliases }: ModuleFile['module']): readonly string[] {
  const legacy = aliases
    .filter((alias) => alias.startsWith('ansible.builtin.'))
    .map((alias) => alias.replace('builtin', 'legacy'));
  return [...new Set([name, ...aliases, ...legacy])];
}
