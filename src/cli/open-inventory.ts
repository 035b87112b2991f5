import { resolve } from 'node:path';
import { type Config, loadConfig } from '../engine/config.ts';
import type { Evaluate } from '../engine/inventory/constructed.ts';
import { type Inventory, loadInventory } from '../engine/inventory/inventory.ts';
import { Jinja } from '../engine/jinja/jinja.ts';
import type { Dict } from '../engine/values.ts';
import { LayeredScope } from '../engine/vars/task-scope.ts';
import type { VaultSecrets } from '../engine/vault/secrets.ts';
import { askSecret } from './ask.ts';
import { readExtraVars } from './extra-vars.ts';
import { readVaultSecrets, type VaultFlags } from './vault-options.ts';

export interface InventoryFlags extends VaultFlags {
  readonly inventory?: readonly string[];
  /** Directories whose group_vars and host_vars count beside the inventory's; this one unless given. */
  readonly playbookDirs?: readonly string[];
  readonly extraVars?: readonly string[];
}

export interface OpenedInventory {
  readonly inventory: Inventory;
  readonly config: Config;
  readonly secrets: VaultSecrets;
  readonly extraVars: Dict;
}

/** Reads configuration, vault passwords, extra variables and the inventory that the command line names. Throws InvalidInput. */
export async function openInventory(
  flags: InventoryFlags,
  config: Config = loadConfig(),
): Promise<OpenedInventory> {
  const { settings, sources } = config;
  const secrets = await readVaultSecrets(flags, settings, askSecret);
  const extraVars = readExtraVars(flags.extraVars ?? [], secrets);
  const inventory = loadInventory(flags.inventory ?? settings.inventory, {
    secrets,
    settings,
    construction: {
      evaluate: evaluator(),
      extraVars,
      usesExtraVars: settings.inventoryUseExtraVars,
    },
    allowMissing: flags.inventory === undefined && sources.inventory === 'default',
    playbookDirectories: (flags.playbookDirs ?? ['.']).map((directory) => resolve(directory)),
  });
  return { inventory, config, secrets, extraVars };
}

/** How constructed inventories evaluate their expressions. */
function evaluator(): Evaluate {
  const jinja = new Jinja();
  return (expression, variables) =>
    jinja.evaluate(expression, new LayeredScope([variables]), { searchPath: [] });
}
