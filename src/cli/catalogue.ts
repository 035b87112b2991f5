import type { Module } from '../engine/module.ts';
import type { Catalogue } from '../engine/run/run-state.ts';
import { moduleNames, registry } from '../modules/registry.ts';

/** The bundled modules, each loaded when it is first needed. */
export function bundledModules(): Catalogue {
  const loaded = new Map<string, Module>();
  return {
    resolve: (name) => (Object.hasOwn(moduleNames, name) ? moduleNames[name] : undefined),
    names: () => Object.keys(moduleNames),
    loaded: (name) => loaded.get(name),
    load: async (name) => {
      const known = loaded.get(name);
      if (known !== undefined) return known;
      const load = Object.hasOwn(registry, name) ? registry[name] : undefined;
      if (load === undefined) throw new Error(`the registry has no module "${name}"`);
      const module = await load();
      loaded.set(name, module);
      return module;
    },
  };
}
