/** Ansible's names of settings (`DEFAULT_FORKS`, `HOST_KEY_CHECKING`), for the config lookup. */
import { SETTINGS, type SettingName, type Settings } from '../engine/config/config-settings.ts';
import type { Setting } from '../engine/config/config-value.ts';
import type { Config } from '../engine/config.ts';
import type { SettingFound } from '../engine/jinja/host.ts';
import { fromPlain } from '../engine/values.ts';
import { table } from '../shared/table.ts';

/** Names that follow neither from the environment variable nor from the key of the file. */
const OWN_NAMES: Readonly<Record<string, keyof Settings>> = table({
  DEFAULT_HOST_LIST: 'inventory',
  DEFAULT_MODULE_PATH: 'library',
  DEFAULT_MANAGED_STR: 'ansibleManaged',
  TAGS_RUN: 'runTags',
  TAGS_SKIP: 'skipTags',
});

/**
 * Gives settings by the names that playbooks use, with the file or the environment variable that they come from;
 * undefined for one that is not known.
 */
export function settingLookup({
  settings,
  sources,
}: Pick<Config, 'settings' | 'sources'>): (name: string) => SettingFound | undefined {
  const properties = propertiesByName();
  return (name) => {
    const property = properties.get(name.toUpperCase());
    if (property === undefined) return undefined;
    const value = fromPlain(settings[property] ?? null);
    return { value, origin: sources[property].replace(/:\d+$/, '') };
  };
}

function propertiesByName(): ReadonlyMap<string, SettingName> {
  const names = new Map<string, SettingName>();
  // The keys of the table are the names.
  const rows = Object.entries(SETTINGS) as [SettingName, Setting<unknown>][];
  for (const [property, { keys, variables }] of rows) {
    const own = keys.filter((key) => !key.includes('_become_plugin.'));
    const last = own.map((key) => (key.split('.').at(-1) ?? '').toUpperCase());
    for (const name of [...variables, ...last]) {
      for (const spelt of [name, `DEFAULT_${name}`]) {
        if (!names.has(spelt)) names.set(spelt, property);
      }
    }
  }
  return new Map([...names, ...Object.entries(OWN_NAMES)]);
}
