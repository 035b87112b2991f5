/** Ansible's names of settings (`DEFAULT_FORKS`, `HOST_KEY_CHECKING`), for the config lookup. */
import { SETTINGS, type Settings } from '../engine/config/config-settings.ts';
import type { Setting } from '../engine/config/config-value.ts';
import { fromPlain, type Value } from '../engine/values.ts';

/** Names that follow neither from the environment variable nor from the key of the file. */
const OWN_NAMES: Readonly<Record<string, keyof Settings>> = {
  DEFAULT_HOST_LIST: 'inventory',
  DEFAULT_MODULE_PATH: 'library',
  DEFAULT_MANAGED_STR: 'ansibleManaged',
  TAGS_RUN: 'runTags',
  TAGS_SKIP: 'skipTags',
};

/** Gives settings by the names that playbooks use; undefined for one that is not known. */
export function settingLookup(settings: Settings): (name: string) => Value | undefined {
  const values: Readonly<Record<string, unknown>> = settings;
  const properties = propertiesByName();
  return (name) => {
    const value = values[properties.get(name.toUpperCase()) ?? ''];
    return value === undefined ? undefined : fromPlain(value);
  };
}

function propertiesByName(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [property, { keys, variables }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const last = keys.map((key) => (key.split('.').at(-1) ?? '').toUpperCase());
    for (const name of [...variables, ...last]) {
      for (const spelt of [name, `DEFAULT_${name}`]) {
        if (!names.has(spelt)) names.set(spelt, property);
      }
    }
  }
  return new Map([...names, ...Object.entries(OWN_NAMES)]);
}
