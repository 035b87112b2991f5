import { resolve } from 'node:path';
import { InvalidInput, type Problem } from '../../shared/errors.ts';
import type { Settings } from '../config/config-settings.ts';
import { type Dict, isDict, type Value } from '../values.ts';
import { VaultSecrets } from '../vault/secrets.ts';
import type { ConstructionTools } from './constructed.ts';
import type { InventoryPort, Unmatched } from './inventory-port.ts';
import { SourceReader } from './load.ts';
import { compare, Graph, type Group, groupsAbove, Host, hostsBelow } from './model.ts';
import { LOCAL_NAMES, selectHosts } from './patterns.ts';
import { type Variables, VarsFiles } from './vars-files.ts';

type InventorySettings = Pick<
  Settings,
  | 'duplicateDictKey'
  | 'forceValidGroupNames'
  | 'hashBehaviour'
  | 'hostPatternMismatch'
  | 'inventoryIgnoreExtensions'
>;

export interface InventoryOptions {
  readonly secrets?: VaultSecrets | undefined;
  /** Directories of playbooks, whose group_vars and host_vars count too; more can be added by `usePlaybook`. */
  readonly playbookDirectories?: readonly string[] | undefined;
  /** Absent where constructed inventories are not available. */
  readonly construction?: ConstructionTools | undefined;
  readonly settings?: Partial<InventorySettings> | undefined;
  /** Whether a source that does not exist is a warning only, as the default /etc/ansible/hosts. */
  readonly allowMissing?: boolean | undefined;
}

/** Reads inventory sources. Throws InvalidInput with every problem of every source. */
export function loadInventory(
  sources: readonly string[],
  options: InventoryOptions = {},
): Inventory {
  return new Inventory(sources, options);
}

/** Hosts, groups and their variables. Made by `loadInventory`. */
export class Inventory implements InventoryPort {
  readonly sources: readonly string[];
  /** What is odd but not wrong, each thing once. */
  readonly warnings: Problem[] = [];
  readonly #options: InventoryOptions;
  readonly #files: VarsFiles;
  readonly #implicit = new Map<string, Host>();
  /** What was added during the run, done again after a refresh. */
  readonly #additions: (() => void)[] = [];
  #playbookDirectories: readonly string[];
  #graph = new Graph();
  #directories: readonly string[] = [];
  #groups: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(sources: readonly string[], options: InventoryOptions) {
    this.sources = sources;
    this.#options = options;
    this.#playbookDirectories = options.playbookDirectories ?? [];
    this.#files = new VarsFiles(
      options.secrets ?? new VaultSecrets([]),
      options.settings?.duplicateDictKey,
    );
    this.#load();
  }

  /** Hosts and groups as the sources have them. */
  get graph(): Graph {
    return this.#graph;
  }

  /** The names of all hosts but an implicit localhost, in inventory order. */
  get hosts(): string[] {
    return this.groups().get('all')?.slice() ?? [];
  }

  /** From now on, group_vars and host_vars of these directories count beside the inventory's. */
  usePlaybook(...directories: readonly string[]): void {
    this.#playbookDirectories = directories.map((directory) => resolve(directory));
  }

  select(pattern: string | readonly string[], unmatched: Unmatched = 'tell'): string[] {
    const implicitHost = (name: string) => this.#implicitHost(name);
    const selected = selectHosts(pattern, { graph: this.#graph, implicitHost });
    if (unmatched === 'tell') for (const term of selected.unmatched) this.#unmatched(term);
    return selected.hosts.map(({ name }) => name);
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  groups(): ReadonlyMap<string, readonly string[]> {
    this.#groups ??= new Map(
      [...this.#graph.groups].map(([name, group]) => [
        name,
        hostsBelow(group).map((host) => host.name),
      ]),
    );
    return this.#groups;
  }

  groupNames(name: string): string[] {
    return groupsAbove(this.#find(name) ?? new Host(name))
      .map((group) => group.name)
      .filter((group) => group !== 'all')
      .sort(compare);
  }

  hostVars(name: string): Dict {
    const host = this.#find(name) ?? this.#unlisted(name);
    const all = this.#graph.group('all');
    const groups = this.#graph.inMergeOrder(groupsAbove(host).filter((group) => group !== all));
    return this.#merge([
      ...this.#groupLayers(all, groups),
      host.vars,
      ...this.#allFileLayers('host_vars', name),
    ]);
  }

  /** What is said of a host itself, without its groups: by the inventory, and beside a playbook unless told otherwise. */
  ownVars(name: string, { withPlaybook = true }: { withPlaybook?: boolean } = {}): Dict {
    const { vars } = this.#find(name) ?? new Host(name);
    return this.#merge([vars, ...this.#allFileLayers('host_vars', name, withPlaybook)]);
  }

  /** What is said of a group itself: by the inventory, and beside a playbook unless told otherwise. */
  groupVars(name: string, { withPlaybook = true }: { withPlaybook?: boolean } = {}): Dict {
    const group = this.#graph.groups.get(name);
    if (group === undefined) return new Map();
    const priority =
      group.priority === 1 ? [] : [['ansible_group_priority', group.priority] as const];
    const files = this.#allFileLayers('group_vars', group.name, withPlaybook);
    return this.#merge([group.vars, ...files, new Map(priority)]);
  }

  sourceOf(
    name: string,
  ): { readonly directory: string | undefined; readonly file: string } | undefined {
    const { source, directory } = this.#find(name) ?? {};
    return source === undefined ? undefined : { directory, file: source };
  }

  addHost(name: string, groups: readonly string[], variables: Dict): boolean {
    const isNew = !this.#graph.hosts.has(name);
    this.#addition(() => {
      const host = this.#graph.host(name);
      if (isNew) this.#graph.join('all', name);
      for (const [key, value] of variables) host.vars.set(key, value);
      for (const group of groups) this.#graph.join(group, name);
    });
    return isNew;
  }

  addToGroup(name: string, group: string, parents: readonly string[]): boolean {
    const isNew = !this.groupNames(name).includes(group);
    this.#addition(() => {
      // A host that the sources have lost does not come back.
      if (this.has(name)) this.#graph.join(group, name);
      for (const parent of parents) this.#graph.link(parent, group);
    });
    return isNew;
  }

  refresh(): void {
    this.#files.clear();
    this.#load();
    for (const add of this.#additions) add();
    this.#settle();
  }

  #load(): void {
    const { settings = {}, secrets, construction, allowMissing } = this.#options;
    const graph = new Graph(groupRenamer(settings.forceValidGroupNames));
    const reader = new SourceReader(graph, {
      secrets: secrets ?? new VaultSecrets([]),
      ignoredEndings: settings.inventoryIgnoreExtensions ?? DEFAULT_IGNORED,
      construction,
      allowMissing,
    });
    for (const source of this.sources) reader.read(source);
    if (reader.problems.length > 0) throw new InvalidInput(inOrder(reader.problems));
    for (const warning of reader.warnings) this.#warn(warning);
    this.#graph = graph;
    this.#directories = reader.directories;
    this.#settle();
  }

  #settle(): void {
    this.#graph.settle();
    this.#groups = undefined;
    for (const name of this.#graph.hosts.keys()) {
      if (this.#graph.groups.has(name))
        this.#warn({ message: `"${name}" is the name of a group and of a host` });
    }
  }

  #addition(add: () => void): void {
    add();
    this.#additions.push(add);
    this.#settle();
  }

  #find(name: string): Host | undefined {
    return this.#graph.hosts.get(name) ?? this.#implicit.get(name);
  }

  /** A host that no source names. */
  #unlisted(name: string): Host {
    return LOCAL_NAMES.includes(name) ? this.#implicitHost(name) : new Host(name);
  }

  /** This machine: a host of the inventory with one of its names, else one that needs no connection. */
  #implicitHost(name: string): Host {
    const known = LOCAL_NAMES.map((each) => this.#find(each)).find((host) => host !== undefined);
    if (known !== undefined) return known;
    const host = new Host(name, true);
    host.vars.set('ansible_connection', 'local');
    this.#implicit.set(name, host);
    return host;
  }

  #unmatched(term: string): void {
    const { hostPatternMismatch = 'warning' } = this.#options.settings ?? {};
    const problem = { message: `the host pattern "${term}" matches no host and no group` };
    if (hostPatternMismatch === 'error') throw new InvalidInput([problem]);
    if (hostPatternMismatch === 'warning') this.#warn(problem);
  }

  #warn(problem: Problem): void {
    const isKnown = this.warnings.some(
      ({ message, place }) => message === problem.message && place?.line === problem.place?.line,
    );
    if (!isKnown) this.warnings.push(problem);
  }

  /** Ranks 2 to 6: what sources say of groups, then group_vars/all, then the group_vars of the others. */
  #groupLayers(all: Group, groups: readonly Group[]): Variables[] {
    const names = groups.map(({ name }) => name);
    return [
      all.vars,
      ...groups.map(({ vars }) => vars),
      ...this.#fileLayers(this.#directories, 'group_vars', [all.name]),
      ...this.#fileLayers(this.#playbookDirectories, 'group_vars', [all.name]),
      ...this.#fileLayers(this.#directories, 'group_vars', names),
      ...this.#fileLayers(this.#playbookDirectories, 'group_vars', names),
    ];
  }

  #allFileLayers(kind: 'group_vars' | 'host_vars', name: string, withPlaybook = true): Variables[] {
    const beside = withPlaybook ? this.#playbookDirectories : [];
    return this.#fileLayers([...this.#directories, ...beside], kind, [name]);
  }

  #fileLayers(
    directories: readonly string[],
    kind: 'group_vars' | 'host_vars',
    names: readonly string[],
  ): Variables[] {
    return directories.flatMap((directory) =>
      names.flatMap((name) => this.#files.read(directory, kind, name)),
    );
  }

  #merge(layers: readonly Variables[]): Dict {
    if (this.#options.settings?.hashBehaviour === 'merge')
      return layers.reduce(mergeDeeply, new Map());
    return new Map(layers.flatMap((layer) => [...layer]));
  }
}

const DEFAULT_IGNORED = '.pyc .pyo .swp .bak ~ .rpm .md .txt .rst .orig .cfg .retry'.split(' ');

/** Problems in the order of their files, and in each file in the order of its lines. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map(({ place }) => place?.file))];
  return files.flatMap((file) =>
    problems
      .filter(({ place }) => place?.file === file)
      .sort((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0)),
  );
}

function groupRenamer(
  policy: Settings['forceValidGroupNames'] = 'never',
): (name: string) => string {
  if (policy === 'never' || policy === 'ignore') return (name) => name;
  return (name) => name.replace(/^[\d\W]|[^\w]/g, '_');
}

function mergeDeeply(below: Variables, above: Variables): Map<string, Value> {
  const merged = new Map(below);
  for (const [key, value] of above) {
    const earlier = merged.get(key);
    const isBoth = isDict(earlier) && isDict(value);
    // Both maps have the same type of key; only text is used for variables.
    merged.set(key, isBoth ? mergeDeeply(earlier as Variables, value as Variables) : value);
  }
  return merged;
}
