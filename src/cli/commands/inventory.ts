import { Command } from 'commander';
import type { Inventory } from '../../engine/inventory/inventory.ts';
import { readLimit } from '../../engine/inventory/patterns.ts';
import type { Dict } from '../../engine/values.ts';
import { formatProblem, InvalidInput } from '../../shared/errors.ts';
import { writeFileAtomic } from '../../shared/write-file.ts';
import { type InventoryFlags, openInventory } from '../open-inventory.ts';
import { addInventoryOptions, addVariableOptions, addVerbosity } from '../options.ts';
import { configurationLine } from '../output/configuration-line.ts';
import { renderInventoryGraph } from '../output/inventory-graph.ts';
import { renderHostVariables, renderInventoryList } from '../output/inventory-list.ts';

interface Flags extends Omit<InventoryFlags, 'playbookDirs'> {
  readonly playbookDir?: string;
  readonly list?: boolean;
  readonly graph?: boolean;
  readonly host?: string;
  readonly vars?: boolean;
  readonly export?: boolean;
  readonly yaml?: boolean;
  readonly limit?: string[];
  readonly output?: string;
  readonly verbose: number;
}

type Shown = Omit<Flags, 'extraVars'> & { readonly extraVars: Dict };

/** `tsprov inventory`: shows hosts, groups and their variables, as ansible-inventory does. */
export function inventoryCommand(): Command {
  const command = new Command('inventory')
    .description('show hosts, groups and their variables')
    .argument('[group]', 'the group a graph begins with', 'all')
    .option('--list', 'everything, as JSON')
    .option('--graph', 'groups and hosts as a tree')
    .option('--host <name>', 'the variables of one host, as JSON')
    .option('-y, --yaml', 'with --list and --host: YAML instead of JSON')
    .option('--vars', 'with --graph: the variables too')
    .option('--export', 'with --list: variables where they are defined, not merged for each host')
    .option('--playbook-dir <path>', 'directory whose group_vars and host_vars count too')
    .option('--output <path>', 'write to a file');
  addVerbosity(addVariableOptions(addInventoryOptions(command)));
  return command.action(async (group: string, flags: Flags) => {
    const { inventory, config, extraVars } = await openInventory({
      ...flags,
      ...(flags.playbookDir !== undefined && { playbookDirs: [flags.playbookDir] }),
    });
    const text = render(inventory, group, { ...flags, extraVars });
    for (const warning of inventory.warnings)
      process.stderr.write(`[WARNING]: ${formatProblem(warning)}\n`);
    if (flags.verbose > 0) process.stdout.write(`${configurationLine(config.file)}\n`);
    if (flags.output === undefined) process.stdout.write(text);
    else writeFileAtomic(flags.output, text, 0o644);
  });
}

function render(inventory: Inventory, group: string, flags: Shown): string {
  const limit = (flags.limit ?? []).flatMap(readLimit);
  const hosts = limit.length === 0 ? undefined : inventory.select(limit);
  if (flags.host !== undefined) return renderHost(inventory, flags.host, flags);
  const withPlaybook = flags.playbookDir !== undefined;
  if (flags.list === true)
    return renderInventoryList(inventory, {
      hosts,
      isExport: flags.export,
      isYaml: flags.yaml,
      withPlaybook,
      extraVars: flags.extraVars,
    });
  if (flags.graph !== true)
    throw InvalidInput.at(undefined, 'nothing to show', 'give --list, --graph or --host NAME');
  const text = renderInventoryGraph(inventory, {
    group: group.replace(/^@/, ''),
    showsVars: flags.vars,
    withPlaybook,
    extraVars: flags.extraVars,
  });
  if (text !== '') return text;
  throw InvalidInput.at(undefined, `there is no group "${group}"`);
}

function renderHost(inventory: Inventory, name: string, { yaml, extraVars }: Shown): string {
  const [host, ...more] = inventory.select(name);
  if (host !== undefined && more.length === 0)
    return renderHostVariables(inventory, host, { isYaml: yaml, extraVars });
  throw InvalidInput.at(undefined, `there is no host "${name}"`);
}
