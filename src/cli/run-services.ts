/** Puts the engine together for one command: configuration, secrets, inventory, modules. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Config, loadConfig } from '../engine/config.ts';
import { connect } from '../engine/connection/connect.ts';
import type { ConnectionDefaults, ConnectionOptions } from '../engine/inventory/connection-vars.ts';
import { type Inventory, loadInventory } from '../engine/inventory/inventory.ts';
import { Jinja } from '../engine/jinja/jinja.ts';
import type { LoaderOptions } from '../engine/playbook/source.ts';
import type { Emit } from '../engine/run/events.ts';
import type { RunOptions, RunServices } from '../engine/run/run-state.ts';
import { Sessions } from '../engine/run/sessions.ts';
import { type Dict, fromPlain } from '../engine/values.ts';
import type { VaultSecrets } from '../engine/vault/secrets.ts';
import { LayeredScope } from '../engine/vars/task-scope.ts';
import { askSecret } from './ask-secret.ts';
import { bundledModules } from './catalogue.ts';
import { readExtraVars } from './extra-vars.ts';
import type { ConnectionFlags, InventoryFlags, RunningFlags, VariableFlags } from './options.ts';
import { readVaultSecrets } from './vault-options.ts';

export type Flags = InventoryFlags & ConnectionFlags & VariableFlags & RunningFlags;

/** Everything a command needs before it knows what to run. */
export interface Setting {
  readonly config: Config;
  readonly secrets: VaultSecrets;
  readonly extraVars: Dict;
  readonly inventory: Inventory;
  readonly jinja: Jinja;
  readonly loader: LoaderOptions;
}

/** Reads configuration, vault passwords, extra variables and the inventory. Throws InvalidInput. */
export async function openSetting(flags: Flags, playbooks: readonly string[]): Promise<Setting> {
  const config = loadConfig();
  const secrets = await readVaultSecrets(flags, config.settings, askSecret);
  const extraVars = readExtraVars(flags.extraVars ?? [], secrets);
  const jinja = new Jinja();
  const directories = playbooks.length === 0 ? ['.'] : playbooks.map((file) => dirname(file));
  const sources = flags.inventory ?? config.settings.inventory;
  const inventory = loadInventory(sources, {
    secrets,
    settings: config.settings,
    playbookDirectories: [...new Set(directories)],
    allowMissing: flags.inventory === undefined,
    evaluate: (expression, variables) =>
      jinja.evaluate(expression, new LayeredScope([variables]), { searchPath: [] }),
  });
  const modules = bundledModules();
  const loader: LoaderOptions = {
    resolveModule: modules.resolve,
    moduleNames: modules.names,
    rolesPath: config.settings.rolesPath,
    secrets,
    extraVars,
    render: (value, variables) => jinja.renderValue(value, new LayeredScope([variables]), { searchPath: [] }),
  };
  return { config, secrets, extraVars, inventory, jinja, loader };
}

/** The services of a run. */
export function runServices(setting: Setting, emit: Emit, signal: AbortSignal): RunServices {
  const { config, inventory, jinja, loader } = setting;
  const settings: Readonly<Record<string, unknown>> = config.settings;
  return {
    inventory,
    jinja,
    loader,
    catalogue: bundledModules(),
    sessions: new Sessions(connect, signal),
    emit,
    signal,
    setting: (name) => {
      const key = name.replace(/^DEFAULT_/, '').toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      const value = settings[key];
      return value === undefined ? undefined : fromPlain(value);
    },
  };
}

/** Options of a run that flags and configuration decide. */
export async function runOptions(setting: Setting, flags: Flags): Promise<Omit<RunOptions, 'tags' | 'skipTags' | 'startAtTask' | 'confirmTask'>> {
  const { config, extraVars, inventory } = setting;
  const { settings } = config;
  return {
    check: flags.check === true,
    diff: flags.diff === true || settings.diffAlways,
    verify: true,
    forks: flags.forks ?? settings.forks,
    verbosity: flags.verbose ?? 0,
    extraVars,
    limit: flags.limit?.join(','),
    forceHandlers: settings.forceHandlers,
    anyErrorsFatal: settings.anyErrorsFatal,
    gathering: settings.gathering,
    maxDiffBytes: settings.maxDiffSizeBytes,
    rolesPath: settings.rolesPath,
    connection: await connectionDefaults(setting, flags),
    inventorySources: inventory.sources,
    configFile: config.file === undefined ? undefined : resolve(config.file),
    ask: process.stdin.isTTY ? askAtTerminal : undefined,
  };
}

async function askAtTerminal(question: string, { echo }: { readonly echo: boolean }): Promise<string> {
  if (!echo) return await askSecret(question);
  const { read } = await import('read');
  return await read({ prompt: question, output: process.stderr });
}

async function connectionDefaults({ config }: Setting, flags: Flags): Promise<ConnectionDefaults> {
  const password = await passwordOf(flags.askPass, flags.connectionPasswordFile, 'SSH password: ');
  const suffix = password === undefined ? '' : '[defaults to SSH password]';
  const asked = await passwordOf(flags.askBecomePass, flags.becomePasswordFile, `BECOME password${suffix}: `);
  const options: ConnectionOptions = {
    connection: flags.connection,
    user: flags.user,
    password,
    privateKeyFile: flags.privateKey,
    timeoutSeconds: flags.timeout,
    sshCommonArgs: [flags.sshCommonArgs, flags.acceptNew === true ? '-o StrictHostKeyChecking=accept-new' : undefined]
      .filter((each) => each !== undefined)
      .join(' ') || undefined,
    sshExtraArgs: flags.sshExtraArgs,
    become: flags.become,
    becomeMethod: flags.becomeMethod,
    becomeUser: flags.becomeUser,
    becomePassword: asked === '' ? password : asked,
  };
  return { options, settings: config.settings, ...(process.stdin.isTTY && { prompt: askSecret }) };
}

async function passwordOf(ask: boolean | undefined, file: string | undefined, question: string): Promise<string | undefined> {
  if (ask === true) return await askSecret(question);
  return file === undefined ? undefined : readFileSync(file, 'utf8').trim();
}
