/** Where roles lie and what their files say, apart from their tasks. */
import { readdirSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { didYouMean } from '../../shared/errors.ts';
import type { Dict, Position, Value } from '../values.ts';
import { toValue, type YamlNode } from '../yaml-node.ts';
import { rolesBeside } from './collections.ts';
import { collectedRole } from './collections-of.ts';
import type { Role, RoleMeta } from './model.ts';
import {
  entryOf,
  firstFile,
  isDirectory,
  listItems,
  readVariables,
  type Source,
} from './source.ts';

const EXTENSIONS = ['.yml', '.yaml', '.json', ''];

export interface RoleSearch {
  readonly playbookDir: string;
  /** The role that asks: its neighbours are searched too. */
  readonly from: Role | undefined;
  /** Collections in which short names are searched first. */
  readonly collections: readonly string[];
}

/** Directories in which a role's name is looked for, in order. */
function roleDirectories(source: Source, { playbookDir, from }: RoleSearch): string[] {
  const neighbours = from === undefined ? [] : [resolve(from.path, '..')];
  return [
    ...rolesBeside(playbookDir),
    join(playbookDir, 'roles'),
    ...source.options.rolesPath,
    ...neighbours,
    playbookDir,
  ];
}

/** Directory of a role; records a problem that names the places searched when there is none. */
export function findRole(
  source: Source,
  name: string,
  search: RoleSearch,
  position: Position | undefined,
): string | undefined {
  if (isAbsolute(name) && isDirectory(name)) return name;
  const directories = roleDirectories(source, search);
  // A role of a collection may lie under its short name.
  const [, , short = name] = name.split('.');
  const paths = [
    ...collectedPaths(source, name, search),
    ...directories.flatMap((directory) => [resolve(directory, name), resolve(directory, short)]),
  ];
  const found = paths.find(isDirectory);
  if (found !== undefined) return found;
  const there = directories.filter(isDirectory).flatMap((directory) => readdirSync(directory));
  const hint = didYouMean(name, there) ?? `searched in ${directories.join(', ')}`;
  source.problem(position, `the role "${name}" was not found`, hint);
  return undefined;
}

/** Where the role of a collection lies: beside the playbook, or where collections are installed. */
function collectedPaths(source: Source, name: string, search: RoleSearch): string[] {
  const { playbookDir, collections } = search;
  if (/^\w+$/.test(name))
    return collections.flatMap((each) => collectedPaths(source, `${each}.${name}`, search));
  const [, namespace, collection, role] = /^(\w+)\.(\w+)\.([\w.]+)$/.exec(name) ?? [];
  if (namespace === undefined || collection === undefined || role === undefined) return [];
  const { collectionsPath = [] } = source.options;
  const inside = join('ansible_collections', namespace, collection, 'roles', ...role.split('.'));
  return [join(playbookDir, 'collections'), ...collectionsPath].map((path) => join(path, inside));
}

export interface RoleWish {
  readonly name: string;
  readonly position?: Position;
  readonly path: string;
  readonly params: Dict;
  readonly parents: readonly Role[];
  readonly exported: boolean;
  readonly defaultsFrom?: string | undefined;
  readonly varsFrom?: string | undefined;
  readonly identity: string;
  /** Instead of what the role says itself. */
  readonly allowDuplicates?: boolean | undefined;
}

/** Reads a role's defaults, vars and meta. */
export function readRole(source: Source, wish: RoleWish): Role {
  const { name, path, params, parents, exported, identity, position } = wish;
  const meta = readMeta(source, path);
  return {
    name: fullRoleName(path) ?? (isAbsolute(name) ? basename(name) : name),
    path,
    params,
    parents,
    dependencies: [],
    exported,
    defaults: readRoleVariables(source, join(path, 'defaults'), wish.defaultsFrom, position),
    vars: readRoleVariables(source, join(path, 'vars'), wish.varsFrom, position),
    identity,
    allowDuplicates: wish.allowDuplicates ?? meta.allowDuplicates,
    meta,
  };
}

/** The name of a role of a collection, whichever name it was called by. */
function fullRoleName(path: string): string | undefined {
  const role = collectedRole(path);
  return role === undefined ? undefined : `${role.collection}.${role.short}`;
}

/** Path of an entry file of a role's folder (`main` unless named), or undefined. */
export function roleFile(path: string, folder: string, from = 'main'): string | undefined {
  const names = /\.(ya?ml|json)$/.test(from) ? [from] : EXTENSIONS.map((ending) => from + ending);
  return firstFile([join(path, folder)], names);
}

/** The entry file of a role's folder, as a user names it: a file that is missing or lies outside of the folder is a problem. */
export function entryFile(
  source: Source,
  folder: string,
  from?: string,
  position?: Position,
): string | undefined {
  const file = roleFile(dirname(folder), basename(folder), from);
  if (from === undefined) return file;
  if (file !== undefined && isInside(folder, file)) return file;
  const name = basename(folder);
  if (file !== undefined) {
    source.problem(
      position,
      `"${from}" is not inside ${folder}`,
      `a role loads its own files only; put it into ${name}/`,
    );
  } else if (name === 'tasks' || isDirectory(folder)) {
    source.problem(position, `the role "${basename(dirname(folder))}" has no ${name}/${from}`);
  }
  return undefined;
}

function isInside(folder: string, file: string): boolean {
  return resolve(file).startsWith(resolve(folder) + sep);
}

/** Variables of `defaults/` or `vars/`: a main file, or a folder `main/` whose files are read in sorted order. */
function readRoleVariables(
  source: Source,
  folder: string,
  from?: string,
  position?: Position,
): Dict {
  const directory = join(folder, from ?? 'main');
  if (isDirectory(directory) && isInside(folder, directory)) {
    const files = readdirSync(directory)
      .sort()
      .map((file) => join(directory, file));
    return new Map(files.flatMap((file) => [...readVariableFile(source, file)]));
  }
  const file = entryFile(source, folder, from, position);
  return file === undefined ? new Map() : readVariableFile(source, file);
}

/** Variables of one vars file. */
export function readVariableFile(source: Source, file: string): Dict {
  return readVariables(source, source.read(file), file);
}

function readMeta(source: Source, path: string): RoleMeta {
  const file = roleFile(path, 'meta');
  const node = file === undefined ? undefined : source.read(file);
  if (node?.kind !== 'map') return { dependencies: [], allowDuplicates: false };
  const dependencies = entryOf(node, 'dependencies')?.node;
  const duplicates = entryOf(node, 'allow_duplicates')?.node;
  return {
    dependencies: listItems(source, dependencies, 'dependencies').map(toValue),
    allowDuplicates: duplicates?.kind === 'scalar' && duplicates.value === true,
  };
}

/** The argument specification of a role's entry point, as written, or undefined. */
export function readArgumentSpec(
  source: Source,
  path: string,
  entryPoint: string,
): Value | undefined {
  const own = roleFile(path, 'meta', 'argument_specs');
  const ownNode = own === undefined ? undefined : source.read(own);
  const meta = roleFile(path, 'meta');
  const metaNode = meta === undefined ? undefined : source.read(meta);
  return entryPointOf(ownNode, entryPoint) ?? entryPointOf(metaNode, entryPoint);
}

function entryPointOf(node: YamlNode | undefined, entryPoint: string): Value | undefined {
  if (node?.kind !== 'map') return undefined;
  const specs = entryOf(node, 'argument_specs')?.node;
  if (specs?.kind !== 'map') return undefined;
  const entry = entryOf(specs, entryPoint);
  return entry === undefined ? undefined : toValue(entry.node);
}
