/** Reading the files of a playbook, and the little vocabulary in which the loader asks about their nodes. */
import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { didYouMean, InvalidInput, type Problem } from '../../shared/errors.ts';
import { isVariableName, VARIABLE_NAME_RULE } from '../../shared/variable-name.ts';
import { type Dict, type Position, TrustedTemplate, type Value } from '../values.ts';
import { readDataFile } from '../vault/data-file.ts';
import type { VaultSecrets } from '../vault/secrets.ts';
import {
  toValue,
  type YamlEntry,
  type YamlList,
  type YamlMap,
  type YamlNode,
} from '../yaml-node.ts';
import { grouped } from './grouped.ts';
import { keywordsOf } from './keywords.ts';

/** What the loader needs from the rest of the engine. */
export interface LoaderOptions {
  /** Resolves a module name as written to the registry's name. */
  readonly resolveModule: (name: string) => string | undefined;
  readonly moduleNames: () => Iterable<string>;
  /** Whether users have a module of a name that is written in Python. */
  readonly isPython?: (name: string) => boolean;
  /** Whether users have a lookup of a name, all of which are written in Python. */
  readonly isPythonLookup?: (name: string) => boolean;
  readonly rolesPath: readonly string[];
  /** Where collections lie, beside those of a playbook: their roles are found by their full names. */
  readonly collectionsPath?: readonly string[];
  /** Renders a static value (file names of imports) with the variables known when a play is loaded. */
  readonly render: (value: Value, variables: Dict) => Value;
  /** Open files and scalars encrypted with vault. */
  readonly secrets: VaultSecrets;
  readonly extraVars: Dict;
  /** What a key that is given twice is: a warning unless told. */
  readonly duplicateKeys?: 'warn' | 'error' | 'ignore' | undefined;
}

/** Collects what is wrong while files are read, so that everything is reported at once. */
export class Source {
  readonly options: LoaderOptions;
  /** Keywords of tasks, for "did you mean". */
  readonly keywordNames: readonly string[] = keywordsOf('task');
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #documents = new Map<string, YamlNode | undefined>();

  constructor(options: LoaderOptions) {
    this.options = options;
  }

  problem(place: Position | undefined, message: string, hint?: string): void {
    this.problems.push({ place, message, hint });
  }

  /** Records a key that nobody knows. */
  unknownKey(entry: YamlEntry, what: string, known: readonly string[]): void {
    const key = String(textOf(entry.key) ?? entry.key);
    const some = `${known.slice(0, 12).join(', ')}${known.length > 12 ? ', …' : ''}`;
    this.problem(
      entry.keyPosition,
      `"${key}" is not a keyword of ${what}`,
      didYouMean(key, known) ?? `known: ${some}`,
    );
  }

  /** Adds what an InvalidInput carries; anything else is thrown on. */
  absorb(error: unknown): void {
    if (!(error instanceof InvalidInput)) throw error;
    this.problems.push(...error.problems);
  }

  /** The tree of a YAML file, or undefined when it is empty or broken (its problems are recorded). */
  read(file: string): YamlNode | undefined {
    const path = resolve(file);
    if (!this.#documents.has(path)) this.#documents.set(path, this.#parse(path, file));
    return this.#documents.get(path);
  }

  #parse(path: string, shown: string): YamlNode | undefined {
    try {
      const { root, warnings } = readDataFile(path, this.options.secrets, {
        file: shown,
        duplicateKeys: this.options.duplicateKeys,
      });
      this.warnings.push(...warnings);
      return root;
    } catch (error) {
      this.absorb(error);
      return undefined;
    }
  }

  /** Throws every problem found so far. */
  throwProblems(): void {
    if (this.problems.length > 0) throw new InvalidInput(grouped(inOrder(unique(this.problems))));
  }

  /** Whether something was found wrong just there already. */
  hasProblemAt({ file, line, column }: Position): boolean {
    return this.problems.some(
      ({ place }) => place?.file === file && place.line === line && place.column === column,
    );
  }
}

function unique(problems: readonly Problem[]): Problem[] {
  const byText = new Map(problems.map((each) => [JSON.stringify(each), each]));
  return [...byText.values()];
}

/** File by file as they were met, each from top to bottom. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map(({ place }) => place?.file))];
  const order = ({ place }: Problem) =>
    [files.indexOf(place?.file), place?.line ?? 0, place?.column ?? 0] as const;
  return problems.toSorted((a, b) => {
    const [one, other] = [order(a), order(b)];
    return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
  });
}

export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

export function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** The first of several candidates that is a file; candidates are relative to the directories in order. */
export function firstFile(
  directories: readonly string[],
  names: readonly string[],
): string | undefined {
  for (const directory of directories) {
    for (const name of names) {
      const path = isAbsolute(name) ? name : join(directory, name);
      if (isFile(path)) return path;
    }
  }
  return undefined;
}

export function entryOf(map: YamlMap, key: string): YamlEntry | undefined {
  return map.entries.find((entry) => entry.key === key);
}

/** Text of a scalar that may be a template; undefined for anything else. */
export function textOf(value: Value | undefined): string | undefined {
  if (value instanceof TrustedTemplate) return value.text;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return undefined;
}

function isNull(node: YamlNode | undefined): boolean {
  return node === undefined || (node.kind === 'scalar' && node.value === null);
}

/** The items of a list node; records a problem and gives none where it is something else. */
export function listItems(
  source: Source,
  node: YamlNode | undefined,
  what: string,
): YamlList['items'] {
  if (node === undefined || isNull(node)) return [];
  if (node.kind === 'list') return node.items;
  if (source.hasProblemAt(node.position)) return [];
  source.problem(node.position, `${what} is not a list`, 'start each entry with "- "');
  return [];
}

/** The dict of a mapping node with text keys; records problems for anything else. */
export function readDict(source: Source, node: YamlNode | undefined, what: string): Dict {
  if (node === undefined || isNull(node)) return new Map();
  if (node.kind === 'list')
    return mergeDicts(node.items.map((item) => readDict(source, item, what)));
  if (node.kind !== 'map') {
    if (!source.hasProblemAt(node.position))
      source.problem(node.position, `${what} is not a mapping`, 'write it as "key: value" lines');
    return new Map();
  }
  const members = new Map<string, Value>();
  for (const { key, keyPosition, node: value } of node.entries) {
    const name = textOf(key);
    if (name === undefined) source.problem(keyPosition, `a key of ${what} is not text`);
    else members.set(name, toValue(value));
  }
  return members;
}

function mergeDicts(dicts: readonly Dict[]): Dict {
  return new Map(dicts.flatMap((dict) => [...dict]));
}

/** A dict of variables: keys must be variable names. */
export function readVariables(source: Source, node: YamlNode | undefined, what: string): Dict {
  const variables = readDict(source, node, what);
  const keys = node?.kind === 'map' ? node.entries : [];
  for (const { key, keyPosition } of keys) {
    if (typeof key === 'string' && !isVariableName(key)) {
      source.problem(keyPosition, `"${key}" in ${what} is not a variable name`, VARIABLE_NAME_RULE);
    }
  }
  return variables;
}

export function directoryOf(file: string): string {
  return dirname(file);
}
