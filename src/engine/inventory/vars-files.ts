import { readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { InvalidInput, type Problem } from '../../shared/errors.ts';
import type { Value } from '../values.ts';
import { readDataFile } from '../vault/data-file.ts';
import type { VaultSecrets } from '../vault/secrets.ts';
import { toValue } from '../yaml-node.ts';

export type Variables = ReadonlyMap<string, Value>;

/** In the order in which they are looked for; the first that exists is read and no other. */
const EXTENSIONS = ['', '.yml', '.yaml', '.json'];

/** The files of group_vars and host_vars directories, each read once. */
export class VarsFiles {
  readonly warnings: Problem[] = [];
  readonly #secrets: VaultSecrets;
  readonly #duplicateKeys: 'warn' | 'error' | 'ignore';
  readonly #files = new Map<string, Variables>();
  readonly #listings = new Map<string, ReadonlySet<string>>();

  constructor(secrets: VaultSecrets, duplicateKeys: 'warn' | 'error' | 'ignore' = 'warn') {
    this.#secrets = secrets;
    this.#duplicateKeys = duplicateKeys;
  }

  /**
   * The variables of a group or a host from one directory: `kind/name`, with or without an extension, or the
   * files of a directory of that name in the order of their names. Throws InvalidInput.
   */
  read(directory: string, kind: 'group_vars' | 'host_vars', name: string): Variables[] {
    const parent = join(directory, kind);
    const names = this.#list(parent);
    const found = EXTENSIONS.map((extension) => name + extension).find((each) => names.has(each));
    if (found === undefined) return [];
    const path = join(parent, found);
    return varsFilesAt(path).map((file) => this.#load(file));
  }

  /** Forgets every file, so that the next use reads it again. */
  clear(): void {
    this.#files.clear();
    this.#listings.clear();
  }

  #load(file: string): Variables {
    let variables = this.#files.get(file);
    if (variables === undefined) {
      variables = this.#parse(file);
      this.#files.set(file, variables);
    }
    return variables;
  }

  #parse(file: string): Variables {
    const duplicateKeys = this.#duplicateKeys;
    const { root, warnings } = readDataFile(file, this.#secrets, { duplicateKeys });
    this.warnings.push(...warnings);
    if (root.kind === 'scalar' && root.value === null) return new Map();
    if (root.kind === 'map') {
      return new Map(root.entries.map((entry) => [String(entry.key), toValue(entry.node)]));
    }
    const hint = 'write name: value lines';
    throw InvalidInput.at(
      root.position,
      'a file of variables is a mapping of names to values',
      hint,
    );
  }

  #list(directory: string): ReadonlySet<string> {
    let names = this.#listings.get(directory);
    if (names === undefined) {
      names = new Set(isDirectory(directory) ? readdirSync(directory) : []);
      this.#listings.set(directory, names);
    }
    return names;
  }
}

/** A file itself, or the variable files of a directory at any depth. */
function varsFilesAt(path: string): string[] {
  if (!isDirectory(path)) return [path];
  return readdirSync(path)
    .sort()
    .filter((name) => !name.startsWith('.') && !name.endsWith('~'))
    .flatMap((name) => {
      const child = join(path, name);
      const extension = extname(name);
      if (isDirectory(child)) return extension === '' ? varsFilesAt(child) : [];
      return EXTENSIONS.includes(extension) ? [child] : [];
    });
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
