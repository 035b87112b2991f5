/** The modules there are: the bundled ones and those of `library/` directories. */
import type { Module } from '../engine/module.ts';
import type { Catalogue } from '../engine/run/run-state.ts';
import { moduleNames, registry } from '../modules/registry.ts';
import { findLibraryModules, loadLibraryModule } from './library-modules.ts';

/** Those that Ansible delivers keep their full name; in a library, the short one may mean something else. */
const BUNDLED_ALONE = 'ansible.builtin.';

/** The bundled modules and those of some directories, each loaded when it is first needed. The first directory wins. */
export function modulesOf(directories: readonly string[] = []): Catalogue {
  const files = findLibraryModules(directories);
  const loaded = new Map<string, Module>();
  const load = async (name: string): Promise<Module> => {
    const file = files.get(name);
    if (file !== undefined) return await loadLibraryModule(file);
    const bundled = Object.hasOwn(registry, name) ? registry[name] : undefined;
    if (bundled === undefined) throw new Error(`the registry has no module "${name}"`);
    return await bundled();
  };
  return {
    resolve: (name) => {
      const short = name.replace(/^ansible\.legacy\./, '');
      if (!name.startsWith(BUNDLED_ALONE) && files.has(short)) return short;
      return Object.hasOwn(moduleNames, name) ? moduleNames[name] : undefined;
    },
    names: () => [...files.keys(), ...Object.keys(moduleNames)],
    loaded: (name) => loaded.get(name),
    load: async (name) => {
      const module = loaded.get(name) ?? (await load(name));
      loaded.set(name, module);
      return module;
    },
  };
}
