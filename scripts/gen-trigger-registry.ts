/** Writes `src/scaler/triggers/registry.ts` from the files beside it. */
import { readdirSync, writeFileSync } from 'node:fs';

const DIRECTORY = 'src/scaler/triggers/';
const REGISTRY = 'registry.ts';

const types = readdirSync(DIRECTORY)
  .filter((file) => file.endsWith('.ts') && file !== REGISTRY)
  .map((file) => file.replace(/\.ts$/, ''))
  .sort();
writeFileSync(`${DIRECTORY}${REGISTRY}`, render(types));

function render(names: readonly string[]): string {
  const imports = names.map((type) => `import { ${exportOf(type)} } from './${type}.ts';`);
  return `/** Every trigger. Written by \`npm run gen\`; do not edit. */
import type { AnyTrigger } from '../trigger.ts';
${imports.join('\n')}

/** Triggers by type. */
export const triggers: Readonly<Record<string, AnyTrigger>> = {
${names.map((type) => `  '${type}': ${exportOf(type)},`).join('\n')}
};
`;
}

/** `kubernetes-workload` → `kubernetesWorkload`. */
function exportOf(type: string): string {
  return type.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
