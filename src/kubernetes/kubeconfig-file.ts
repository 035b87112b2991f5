/**
 * The files that kubectl reads. Of @kubernetes/client-node only what parses their entries is loaded: its class KubeConfig
 * brings every model of the Kubernetes API with it, 75 MB of memory.
 */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type Cluster,
  type Context,
  newClusters,
  newContexts,
  newUsers,
  type User,
} from '@kubernetes/client-node/dist/config_types.js';
import { parse } from 'yaml';
import { closest } from '../shared/closest.ts';
import { InvalidInput } from '../shared/errors.ts';

/** A user, with what client-node leaves out. Paths are absolute. */
export interface NamedUser extends User {
  readonly tokenFile?: string | undefined;
  readonly impersonateGroups?: readonly string[] | undefined;
}

/** The entries of one or several kubeconfigs by their names. */
export interface Entries {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly contexts: ReadonlyMap<string, Context>;
  readonly users: ReadonlyMap<string, NamedUser>;
  readonly currentContext: string | undefined;
}

type Mapping = Readonly<Record<string, unknown>>;

/**
 * Reads one file.
 * @throws {InvalidInput} naming it and what is wrong.
 */
export async function readEntries(file: string): Promise<Entries> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new InvalidInput([{ message: `kubeconfig ${file} cannot be read: ${cause.message}` }]);
  });
  return parseFile(text, resolve(file));
}

/**
 * The entries of a kubeconfig's text; paths in it are relative to the file that it is from.
 * @throws {InvalidInput} naming the file and what is wrong.
 */
export function parseFile(text: string, file: string): Entries {
  try {
    return parseEntries(parse(text), dirname(file));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidInput([{ message: `kubeconfig ${file}: ${problem}` }], { cause });
  }
}

/**
 * The entries of a kubeconfig as data; paths in it are relative to a folder.
 * @throws where it is malformed.
 */
export function parseEntries(config: unknown, folder: string): Entries {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new Error('it is no mapping');
  }
  const { clusters, contexts, users, 'current-context': current } = config as Mapping;
  return {
    clusters: byName(newClusters(clusters).map((cluster) => inFolder(folder, cluster, ['caFile']))),
    contexts: byName(newContexts(contexts)),
    users: byName(parseUsers(users, folder)),
    currentContext: typeof current === 'string' && current !== '' ? current : undefined,
  };
}

function parseUsers(users: unknown, folder: string): readonly NamedUser[] {
  const entries = (Array.isArray(users) ? users : []) as readonly { user?: Mapping }[];
  return newUsers(users).map((user, index) => {
    const written = entries[index]?.user;
    const own: NamedUser = {
      ...user,
      exec: execIn(folder, user.exec),
      tokenFile: written?.['tokenFile'] as string | undefined,
      impersonateGroups: written?.['as-groups'] as readonly string[] | undefined,
    };
    return inFolder(folder, own, ['certFile', 'keyFile', 'tokenFile']);
  });
}

/** With the paths of these members taken as relative to a folder. */
function inFolder<T extends object>(folder: string, entry: T, names: readonly (keyof T)[]): T {
  const given = names.filter((name) => entry[name]);
  const paths = given.map((name) => [name, resolve(folder, String(entry[name]))] as const);
  return { ...entry, ...Object.fromEntries(paths) };
}

/** A plugin written as a relative path lies beside the kubeconfig; a bare name is looked for in PATH. */
function execIn(folder: string, exec: User['exec']): User['exec'] {
  if (!exec?.command?.includes('/')) return exec;
  return { ...exec, command: resolve(folder, exec.command) };
}

function byName<T extends { readonly name: string }>(entries: readonly T[]): Map<string, T> {
  return new Map(entries.map((entry) => [entry.name, entry]));
}

/** As kubectl: of two entries with the same name, that of the earlier file counts. */
export function mergeEntries(first: Entries, second: Entries): Entries {
  return {
    clusters: new Map([...second.clusters, ...first.clusters]),
    contexts: new Map([...second.contexts, ...first.contexts]),
    users: new Map([...second.users, ...first.users]),
    currentContext: first.currentContext ?? second.currentContext,
  };
}

/** The entry of a name; an error names the nearest. */
export function findEntry<T>(
  entries: ReadonlyMap<string, T>,
  name: string,
  what: string,
  origin: string,
): T {
  const found = entries.get(name);
  if (found !== undefined) return found;
  const near = closest(name, entries.keys());
  const hint = near === undefined ? undefined : `did you mean ${near}?`;
  throw InvalidInput.at(undefined, `kubeconfig ${origin} has no ${what} "${name}"`, hint);
}
