/** `tsprov-scaler crds`: what a cluster has to know before it can hold our objects. */
import { Command } from 'commander';
import { stringify } from 'yaml';
import { namesFor } from '../../names.ts';
import { resources } from '../../resources/all.ts';
import { renderCrd } from '../../resources/resource.ts';
import { addCompatibility, type CompatibilityFlags, outputOption } from '../options.ts';

interface Flags extends CompatibilityFlags {
  readonly output: 'yaml' | 'json';
}

export function crdsCommand(): Command {
  const command = new Command()
    .description('Print the CustomResourceDefinitions, for `kubectl apply --server-side -f -`.')
    .addOption(outputOption(['yaml', 'json']));
  return addCompatibility(command).action(({ output, compat }: Flags) => {
    const crds = resources.map((resource) => renderCrd(resource, namesFor(compat)));
    process.stdout.write(output === 'json' ? asJson(crds) : asYaml(crds));
  });
}

function asJson(items: readonly object[]): string {
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`;
}

function asYaml(items: readonly object[]): string {
  const options = { aliasDuplicateObjects: false, lineWidth: 0 };
  return items.map((item) => `---\n${stringify(item, options)}`).join('');
}
