/** Puts the engine together for one command: configuration, secrets, inventory, modules. */
import { dirname, resolve } from 'node:path';
import { type Config, loadConfig } from '../engine/config.ts';
import { connect } from '../engine/connection/connect.ts';
import type { Connect, Trace } from '../engine/connection/connection.ts';
import type { ConnectionDefaults } from '../engine/inventory/connection-reader.ts';
import type { Inventory } from '../engine/inventory/inventory.ts';
import { limitPattern } from '../engine/inventory/patterns.ts';
import { Jinja } from '../engine/jinja/jinja.ts';
import type { LoaderOptions } from '../engine/playbook/source.ts';
import type { Emit } from '../engine/run/events.ts';
import type { Catalogue, RunOptions, RunServices } from '../engine/run/run-state.ts';
import { Sessions } from '../engine/run/sessions.ts';
import type { Dict } from '../engine/values.ts';
import { LayeredScope } from '../engine/vars/task-scope.ts';
import type { VaultSecrets } from '../engine/vault/secrets.ts';
import { ask, askSecretAtTerminal } from './ask.ts';
import { modulesOf } from './catalogue.ts';
import { flushFacts, openFactCache } from './fact-cache.ts';
import { libraryDirectories, pluginDirectories } from './library-directories.ts';
import { pythonFiles } from './library-modules.ts';
import { openInventory } from './open-inventory.ts';
import type { ConnectionFlags, InventoryFlags, RunningFlags, VariableFlags } from './options.ts';
import { readPasswords } from './passwords.ts';
import { settingLookup } from './setting-names.ts';
import { vainSettings } from './vain-settings.ts';

export type Flags = InventoryFlags & ConnectionFlags & VariableFlags & RunningFlags;

/** Everything a command needs before it knows what to run. */
export interface Setting {
  readonly config: Config;
  readonly secrets: VaultSecrets;
  readonly extraVars: Dict;
  readonly inventory: Inventory;
  readonly jinja: Jinja;
  readonly catalogue: Catalogue;
  readonly loader: LoaderOptions;
}

/** Reads configuration, vault passwords, extra variables and the inventory. Throws InvalidInput. */
export async function openSetting(
  flags: Flags,
  playbooks: readonly string[],
  config: Config = loadConfig(),
): Promise<Setting> {
  const directories = [...new Set(playbooks.map((file) => resolve(dirname(file))))];
  const places = directories.length === 0 ? [resolve('.')] : directories;
  const { inventory, secrets, extraVars } = await openInventory(
    { ...flags, playbookDirs: places },
    config,
  );
  const jinja = new Jinja({ collections: config.settings.collectionFilters });
  const { settings } = config;
  const catalogue = await modulesOf({
    directories: libraryDirectories(places, { named: flags.modulePath ?? [], settings }),
    actions: pluginDirectories('action', places, { settings }),
  });
  const lookups = pythonFiles(pluginDirectories('lookup', places, { settings }));
  const loader: LoaderOptions = {
    resolveModule: catalogue.resolve,
    moduleNames: catalogue.names,
    isPython: catalogue.isPython,
    isPythonLookup: (name) => lookups.has(name),
    rolesPath: settings.rolesPath,
    collectionsPath: settings.collectionsPath,
    duplicateKeys: settings.duplicateDictKey,
    secrets,
    extraVars,
    render: (value, variables) =>
      jinja.renderValue(value, new LayeredScope([variables]), { searchPath: [] }),
  };
  return { config, secrets, extraVars, inventory, jinja, catalogue, loader };
}

interface RunSurroundings {
  readonly signal: AbortSignal;
  readonly verbosity: number;
  /** Forgets cached facts before the run. */
  readonly flushCache?: boolean | undefined;
}

/** The services of a run. */
export function runServices(
  setting: Setting,
  emit: Emit,
  { signal, verbosity, flushCache }: RunSurroundings,
): RunServices {
  const { config, inventory, jinja, loader, catalogue } = setting;
  for (const text of vainSettings(config.settings)) emit({ type: 'warning', text });
  const factCache = openFactCache(config.settings, (text) => emit({ type: 'warning', text }));
  if (flushCache === true) flushFacts(factCache, inventory.select('all'));
  return {
    inventory,
    jinja,
    loader,
    catalogue,
    sessions: new Sessions(traced(emit, verbosity), signal),
    emit,
    signal,
    factCache,
    setting: settingLookup(config),
  };
}

/** Connects, and tells about it where so much is asked for. */
function traced(emit: Emit, verbosity: number): Connect {
  if (verbosity < 3) return connect;
  const trace: Trace = {
    verbosity,
    tell: (least, text) => emit({ type: 'detail', verbosity: least, text }),
  };
  return (settings, signal) => connect({ ...settings, trace }, signal);
}

/** Options of a run that flags and configuration decide. */
export async function runOptions(setting: Setting, flags: Flags): Promise<RunOptions> {
  const { config, extraVars, inventory } = setting;
  const { settings } = config;
  return {
    check: flags.check === true,
    diff: flags.diff === true || settings.diffAlways,
    verify: true,
    forks: flags.forks ?? settings.forks,
    verbosity: verbosityOf(setting, flags),
    extraVars,
    tags: ['all'],
    skipTags: [],
    startAtTask: undefined,
    limit: limitPattern(flags.limit),
    forceHandlers: settings.forceHandlers,
    anyErrorsFatal: settings.anyErrorsFatal,
    strategy: settings.strategy,
    noLog: settings.noLog,
    errorOnMissingHandler: settings.errorOnMissingHandler,
    injectFacts: settings.injectFactsAsVars,
    gathering: settings.gathering,
    maxDiffBytes: settings.maxDiffSizeBytes,
    rolesPath: settings.rolesPath,
    connection: await connectionDefaults(setting, flags),
    inventorySources: inventory.sources,
    configFile: config.file === undefined ? undefined : resolve(config.file),
    ask: process.stdin.isTTY ? ask : undefined,
  };
}

/** How much is told: the flags and the configuration together. */
export function verbosityOf({ config }: Setting, flags: RunningFlags): number {
  return Math.max(flags.verbose ?? 0, config.settings.verbosity);
}

async function connectionDefaults(
  { config: { settings } }: Setting,
  flags: Flags,
): Promise<ConnectionDefaults> {
  const { login, become } = await readPasswords(flags, settings);
  return {
    options: {
      connection: flags.connection,
      user: flags.user,
      password: login,
      privateKeyFile: flags.privateKey,
      timeoutSeconds: flags.timeout,
      sshCommonArgs: flags.sshCommonArgs,
      sshExtraArgs: flags.sshExtraArgs,
      acceptNew: flags.acceptNew,
      become: flags.become,
      becomeMethod: flags.becomeMethod,
      becomeUser: flags.becomeUser,
      becomePassword: become,
    },
    settings,
    ...(process.stdin.isTTY && { prompt: askSecretAtTerminal }),
  };
}
