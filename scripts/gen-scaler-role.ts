/** Writes what the role that installs the scaler takes from the scaler's own declarations: names, version, kinds. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { type Compatibility, namesFor } from '../src/scaler/names.ts';
import { resources } from '../src/scaler/resources/all.ts';
import { renderCrd } from '../src/scaler/resources/resource.ts';
import { version } from '../src/scaler/version.ts';

const ROLE = fileURLToPath(new URL('../playbooks/roles/scaler/', import.meta.url));
const NOTE = '# Written by `npm run gen`; do not edit.\n';
const PRODUCTS: readonly Compatibility[] = ['tsprov', 'keda'];

const names = Object.fromEntries(
  PRODUCTS.map((product) => {
    const { scalerLabels: _labels, ...installed } = namesFor(product);
    return [product, installed];
  }),
);
write('vars/main/names.yml', render({ scaler_version: version(), scaler_names_of: names }));
for (const product of PRODUCTS) {
  const crds = resources.map((resource) => render(renderCrd(resource, namesFor(product))));
  write(`files/crds-${product}.yaml`, crds.map((crd) => `---\n${crd}`).join(''));
}

function write(path: string, text: string): void {
  writeFileSync(`${ROLE}${path}`, `${NOTE}${text}`);
}

function render(value: object): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
