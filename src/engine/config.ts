import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { InvalidInput, type Problem } from '../shared/errors.ts';
import { type ConfigEntry, parseConfigFile } from './config/config-file.ts';
import { SETTINGS, type SettingName, type Settings } from './config/config-settings.ts';
import type { Setting } from './config/config-value.ts';
import { ignoredSettings } from './config/ignored-settings.ts';

/** The configuration of a run. */
export interface Config {
  readonly settings: Settings;
  /** Where each setting comes from: `default`, `env: NAME` or `file:line`. */
  readonly sources: Readonly<Record<SettingName, string>>;
  /** The configuration file that was read. */
  readonly file?: string | undefined;
  readonly warnings: readonly Problem[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the configuration is looked for: this process's surroundings unless given. */
export interface ConfigPlace {
  readonly directory?: string | undefined;
  readonly home?: string | undefined;
  readonly environment?: Environment | undefined;
}

/**
 * Reads the configuration: environment variables TSPROV_* and ANSIBLE_*, then the first `tsprov.cfg` or
 * `ansible.cfg` of `$TSPROV_CONFIG`, `$ANSIBLE_CONFIG`, the directory, the home directory and /etc, then
 * defaults. A file in a world-writable directory is passed over with a warning, as Ansible does.
 * Throws InvalidInput with every value that has the wrong type.
 */
export function loadConfig(place: ConfigPlace = {}): Config {
  const { directory = process.cwd(), home = homedir(), environment = process.env } = place;
  const warnings: Problem[] = [];
  const file = findConfigFile({ directory, home, environment }, warnings);
  const entries = file === undefined ? new Map<string, ConfigEntry>() : readConfigFile(file);
  const reader = new SettingReader(entries, environment, directory);
  const settings: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  for (const [name, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const { value, source } = reader.read(setting);
    settings[name] = value;
    sources[name] = source;
  }
  warnings.push(...ignoredSettings(entries, environment));
  if (reader.problems.length > 0) throw new InvalidInput(reader.problems);
  // The table that was walked is the one both types are derived from.
  return { settings: settings as Settings, sources: sources as Config['sources'], file, warnings };
}

interface Surroundings {
  readonly directory: string;
  readonly home: string;
  readonly environment: Environment;
}

class SettingReader {
  readonly problems: Problem[] = [];
  readonly #entries: ReadonlyMap<string, ConfigEntry>;
  readonly #environment: Environment;
  readonly #directory: string;

  constructor(
    entries: ReadonlyMap<string, ConfigEntry>,
    environment: Environment,
    directory: string,
  ) {
    this.#entries = entries;
    this.#environment = environment;
    this.#directory = directory;
  }

  read<T>(setting: Setting<T>): { value: T; source: string } {
    const { value, source, entry } = this.#find(setting);
    if (value === undefined) return { value: this.#default(setting), source: 'default' };
    const directory = entry === undefined ? this.#directory : dirname(entry.place.file);
    try {
      return { value: setting.parse(value, { directory, environment: this.#environment }), source };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.problems.push({
        place: entry?.place,
        message: `${this.#label(setting, source, entry)}: ${error.message}`,
      });
      return { value: setting.fallback, source };
    }
  }

  #find({ keys, variables }: Setting<unknown>) {
    for (const name of variables.flatMap((each) => [`TSPROV_${each}`, `ANSIBLE_${each}`])) {
      const value = this.#environment[name];
      if (value !== undefined) return { value, source: `env: ${name}` };
    }
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry !== undefined)
        return { value: entry.value, source: `${entry.place.file}:${entry.place.line}`, entry };
    }
    return { value: undefined, source: 'default' };
  }

  /** Default paths are expanded like written ones. */
  #default<T>({ fallback, parse }: Setting<T>): T {
    const isPaths =
      Array.isArray(fallback) && fallback.some((each) => String(each).startsWith('~/'));
    return isPaths ? parse(fallback.join(':'), { directory: '/', environment: {} }) : fallback;
  }

  #label({ keys }: Setting<unknown>, source: string, entry: ConfigEntry | undefined): string {
    return entry === undefined ? source.replace('env: ', '') : (keys[0] ?? source);
  }
}

function readConfigFile(file: string): Map<string, ConfigEntry> {
  return parseConfigFile(readFileSync(file, 'utf8'), file);
}

function findConfigFile(
  { directory, home, environment }: Surroundings,
  warnings: Problem[],
): string | undefined {
  const named = ['TSPROV_CONFIG', 'ANSIBLE_CONFIG'].flatMap((name) =>
    namedFile(name, environment[name], warnings),
  );
  const local = ['tsprov.cfg', 'ansible.cfg'].map((name) => join(directory, name));
  const own = ['.tsprov.cfg', '.ansible.cfg'].map((name) => join(home, name));
  const system = ['/etc/tsprov/tsprov.cfg', '/etc/ansible/ansible.cfg'];
  return [...named, ...local.filter((file) => isSafe(file, warnings)), ...own, ...system].find(
    isFile,
  );
}

function namedFile(variable: string, value: string | undefined, warnings: Problem[]): string[] {
  if (value === undefined || value === '') return [];
  const path = resolve(value.replace(/^~(?=\/|$)/, homedir()));
  const file = isFile(path) ? path : join(path, 'ansible.cfg');
  if (isFile(file)) return [file];
  warnings.push({ message: `${variable} names ${value}, which does not exist` });
  return [];
}

function isSafe(file: string, warnings: Problem[]): boolean {
  if (!isFile(file)) return false;
  const { mode } = statSync(dirname(file));
  if ((mode & 0o002) === 0) return true;
  const hint = `remove the permission, or name the file with TSPROV_CONFIG`;
  warnings.push({
    message: `${file} is ignored because everybody may write to its directory`,
    hint,
  });
  return false;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
