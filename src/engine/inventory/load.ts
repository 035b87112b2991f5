import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { InvalidInput, type Problem } from '../../shared/errors.ts';
import type { Position } from '../values.ts';
import { readDataFile, readFileOpened } from '../vault/data-file.ts';
import type { VaultSecrets } from '../vault/secrets.ts';
import { applyConstructed, type ConstructionTools, pluginOf } from './constructed.ts';
import { expandHostName } from './host-range.ts';
import type { Graph, Report } from './model.ts';
import { parseIniInventory } from './parse-ini.ts';
import { readTomlInventory } from './parse-toml.ts';
import { parseYamlInventory } from './parse-yaml.ts';
import { readScriptInventory } from './script.ts';

export interface SourceOptions {
  readonly secrets: VaultSecrets;
  /** Absent where constructed inventories are not available. */
  readonly construction?: ConstructionTools | undefined;
  /** Ends of names that are passed over in a directory. */
  readonly ignoredEndings: readonly string[];
  /** Whether a source that does not exist is passed over with a warning. */
  readonly allowMissing?: boolean | undefined;
}

const YAML_EXTENSIONS = ['.yml', '.yaml', '.json'];
const NEVER_READ = /^(?:\..*|group_vars|host_vars|vars_plugins)$/;

/** Reads inventory sources one after the other into a graph and collects every problem and warning. */
export class SourceReader implements Report {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  /** Directories beside which group_vars and host_vars are looked for. */
  readonly directories: string[] = [];
  readonly #graph: Graph;
  readonly #options: SourceOptions;

  constructor(graph: Graph, options: SourceOptions) {
    this.#graph = graph;
    this.#options = options;
  }

  problem(place: Position, message: string, hint?: string): void {
    this.problems.push({ place, message, hint });
  }

  warning(place: Position | undefined, message: string, hint?: string): void {
    this.warnings.push({ place, message, hint });
  }

  /** Reads one `-i` value: a file, a directory, a script, or a list of hosts with a comma in it. */
  read(source: string): void {
    if (!exists(source) && source.includes(',')) {
      this.#hostList(source);
      this.#mark(source, undefined);
    } else if (exists(source)) {
      const path = resolve(source);
      this.directories.push(isDirectory(path) ? path : dirname(path));
      this.#path(path);
    } else this.#missing(source);
  }

  #missing(source: string): void {
    const message = `the inventory ${source} does not exist`;
    const hint = /^[\w.-]+$/.test(source)
      ? `a list of hosts needs a comma: -i ${source},`
      : undefined;
    (this.#options.allowMissing === true ? this.warnings : this.problems).push({ message, hint });
  }

  #path(path: string): void {
    if (isDirectory(path)) {
      for (const name of readdirSync(path).sort())
        if (!this.#isIgnored(name)) this.#path(join(path, name));
      return;
    }
    this.#attempt(() => this.#file(path));
    this.#mark(path, dirname(path));
  }

  #isIgnored(name: string): boolean {
    return (
      NEVER_READ.test(name) || this.#options.ignoredEndings.some((ending) => name.endsWith(ending))
    );
  }

  #file(path: string): void {
    const extension = extname(path);
    if (isScript(path, readFileOpened(path, this.#options.secrets).content))
      readScriptInventory(path, this.#graph, this);
    else if (extension === '.toml') this.#toml(path);
    else if (YAML_EXTENSIONS.includes(extension) || (extension === '' && this.#looksLikeYaml(path)))
      this.#yaml(path);
    else this.#ini(path);
  }

  #toml(path: string): void {
    const { content } = readFileOpened(path, this.#options.secrets);
    parseYamlInventory(readTomlInventory(content.toString('utf8'), path), this.#graph, this);
  }

  /** A file without extension is YAML when it reads as a mapping of groups; INI has sections or bare host lines. */
  #looksLikeYaml(path: string): boolean {
    const text = readFileOpened(path, this.#options.secrets).content.toString('utf8');
    const first =
      text.split('\n').find((line) => line.trim() !== '' && !/^\s*[#;]/.test(line)) ?? '';
    return /^(?:---|\{|(?:[\w.-]+|"[^"]*"|'[^']*'):(?:\s|$))/.test(first);
  }

  #yaml(path: string): void {
    const { root, warnings } = readDataFile(path, this.#options.secrets);
    this.warnings.push(...warnings);
    const plugin = pluginOf(root);
    if (root.kind === 'scalar' && root.value === null)
      this.warning(root.position, 'the inventory is empty');
    else if (plugin === undefined || root.kind !== 'map')
      parseYamlInventory(root, this.#graph, this);
    else if (basename(plugin) === 'constructed' || plugin.endsWith('.constructed'))
      this.#constructed(root);
    else
      this.problem(
        root.position,
        `the inventory plugin "${plugin}" is not supported`,
        'constructed is; else use a script',
      );
  }

  #constructed(root: Parameters<typeof applyConstructed>[0]): void {
    const { construction } = this.#options;
    if (construction === undefined)
      this.problem(root.position, 'constructed inventories are not available here');
    else applyConstructed(root, this.#graph, construction, this);
  }

  #ini(path: string): void {
    const { content } = readFileOpened(path, this.#options.secrets);
    parseIniInventory(content.toString('utf8'), path, this.#graph, this);
  }

  #hostList(source: string): void {
    for (const item of source.split(',').map((each) => each.trim())) {
      if (item === '') continue;
      const { names, port } = this.#expand(item);
      for (const name of names) {
        this.#graph.join('ungrouped', name);
        if (port !== undefined) this.#graph.host(name).vars.set('ansible_port', port);
      }
    }
  }

  #expand(item: string): ReturnType<typeof expandHostName> {
    try {
      return expandHostName(item);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.problems.push({ message: `-i ${item}: ${error.message}` });
      return { names: [] };
    }
  }

  /** Hosts belong to the source that named them first. */
  #mark(source: string, directory: string | undefined): void {
    for (const host of this.#graph.hosts.values()) {
      if (host.source !== undefined) continue;
      host.source = source;
      host.directory = directory;
    }
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      this.problems.push(...error.problems);
    }
  }
}

/** A file with `#!`, or an executable program. An executable text file is data on a careless file system. */
function isScript(path: string, content: Buffer): boolean {
  const start = content.subarray(0, 512);
  return (
    start.subarray(0, 2).toString('latin1') === '#!' || (start.includes(0) && isExecutable(path))
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
