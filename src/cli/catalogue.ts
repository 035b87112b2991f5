/** The modules there are: the bundled ones and those of `library/` directories. */
import type { Module } from '../engine/module.ts';
import type { Catalogue } from '../engine/run/run-state.ts';
import { moduleNames, registry } from '../modules/registry.ts';
import {
  findLibraryModules,
  libraryAliases,
  loadLibraryModule,
  pythonFiles,
} from './library-modules.ts';

/** Those that Ansible delivers keep their full name; in a library, the short one may mean something else. */
const BUNDLED_ALONE = 'ansible.builtin.';

/** The modules of a run. */
interface Modules extends Catalogue {
  /** Whether users have a module of a name that is written in Python. */
  isPython(name: string): boolean;
}

/** Where modules of users are. */
export interface Libraries {
  readonly directories: readonly string[];
  /** Directories of plugins that act as modules, all in Python. */
  readonly actions: readonly string[];
}

const NONE: Libraries = { directories: [], actions: [] };

/** The bundled modules and those of some directories, each loaded when it is first needed. The first directory wins. */
export async function modulesOf({ directories, actions }: Libraries = NONE): Promise<Modules> {
  const files = findLibraryModules(directories);
  const aliases = await libraryAliases(files);
  const python = pythonFiles([...directories, ...actions]);
  const loaded = new Map<string, Module>();
  const load = async (name: string): Promise<Module> => {
    const file = files.get(ownName(name));
    if (file !== undefined && !isBundled(name)) return await loadLibraryModule(file);
    const bundled = isBundled(name) ? registry[name] : undefined;
    if (bundled === undefined) throw new Error(`the registry has no module "${name}"`);
    return await bundled();
  };
  return {
    resolve: (name) => resolved(name, files, aliases),
    names: () => [...files.keys(), ...aliases.keys(), ...Object.keys(moduleNames)],
    isPython: (name) => python.has(name),
    loaded: (name) => loaded.get(name),
    load: async (name) => {
      const module = loaded.get(name) ?? (await load(name));
      loaded.set(name, module);
      return module;
    },
  };
}

const SHADOW = 'library/';

function isBundled(name: string): boolean {
  return Object.hasOwn(registry, name);
}

/** A module of users that is called like a bundled one has a name of its own within a run. */
function key(name: string | undefined): string | undefined {
  return name !== undefined && isBundled(name) ? `${SHADOW}${name}` : name;
}

function ownName(name: string): string {
  return name.startsWith(SHADOW) ? name.slice(SHADOW.length) : name;
}

/** What a name stands for: a module of users before a bundled one, but for the full names of Ansible's own. */
function resolved(
  name: string,
  files: ReadonlyMap<string, string>,
  aliases: ReadonlyMap<string, string>,
): string | undefined {
  const short = name.replace(/^ansible\.legacy\./, '');
  const own = key(files.has(short) ? short : aliases.get(short));
  const bundled = Object.hasOwn(moduleNames, name) ? moduleNames[name] : undefined;
  if (name.startsWith(BUNDLED_ALONE)) return bundled ?? own;
  return own ?? bundled ?? ofAnyCollection(name, files);
}

/** `some.collection.NAME` is the module NAME of users where there is no other. */
function ofAnyCollection(name: string, files: ReadonlyMap<string, string>): string | undefined {
  const [, short = ''] = /^\w+\.\w+\.(\w+)$/.exec(name) ?? [];
  return files.has(short) ? key(short) : undefined;
}
