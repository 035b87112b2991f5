/** Files of variables that plays and tasks name, and the templates in variables, whoever will use them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../shared/errors.ts';
import type { InventoryPort } from '../inventory/inventory-port.ts';
import { literal } from '../playbook/certainty.ts';
import type { Play, Role, VarsFile } from '../playbook/model.ts';
import { isFile, type LoaderOptions, readVariables, Source } from '../playbook/source.ts';
import type { Dict, TrustedTemplate, Value } from '../values.ts';
import { isVault } from '../vault/envelope.ts';
import { templatesIn } from './templates-in.ts';

/** A file of variables: what is wrong with it, and what it says. */
export interface ReadFile {
  readonly problems: readonly Problem[];
  readonly variables: Dict;
}

const NOTHING: ReadFile = { problems: [], variables: new Map() };

/** Reads a file of variables. A vault is left alone: its password may not be given. */
export function readVariablesFile(loader: LoaderOptions, file: string): ReadFile {
  if (isVault(readFileSync(file))) return NOTHING;
  const source = new Source(loader);
  const root = source.read(file);
  if (root === undefined || (root.kind === 'scalar' && root.value === null))
    return { ...NOTHING, problems: source.problems };
  return { variables: readVariables(source, root, file), problems: source.problems };
}

/** The files of `vars_files` that have plain names. */
export function readVarsFiles(loader: LoaderOptions, play: Play): ReadFile[] {
  return play.varsFiles.map((entry) => readVarsFile(loader, play, entry));
}

function readVarsFile(loader: LoaderOptions, { playbookDir }: Play, entry: VarsFile): ReadFile {
  const names = entry.names.map((name) => literal(name));
  if (names.includes(undefined)) return NOTHING;
  const places = names.flatMap((name = '') => [
    join(playbookDir, name),
    join(playbookDir, 'vars', name),
  ]);
  const found = places.find(isFile);
  if (found !== undefined) return readVariablesFile(loader, found);
  const message = `the vars file ${names.map((name) => `"${name}"`).join(' or ')} was not found`;
  const hint = `searched in ${playbookDir} and its directory vars`;
  return { ...NOTHING, problems: [{ place: entry.position, message, hint }] };
}

interface Owners {
  readonly plays: readonly Play[];
  readonly roles: readonly Role[];
  readonly inventory: InventoryPort | undefined;
}

/** Every template in the variables of plays, roles and hosts. */
export function templatesOfVariables({ plays, roles, inventory }: Owners): Set<TrustedTemplate> {
  const dicts = [
    ...plays.map(({ vars }) => vars),
    ...roles.flatMap(({ defaults, vars, params }) => [defaults, vars, params]),
    ...hostVariables(inventory),
  ];
  return new Set(dicts.flatMap((dict) => [...dict.values()].flatMap(templatesIn)));
}

function hostVariables(inventory: InventoryPort | undefined): Dict[] {
  const hosts = inventory?.groups().get('all') ?? [];
  return hosts.flatMap((host) => {
    try {
      return [inventory?.hostVars(host) ?? new Map<string, Value>()];
    } catch {
      return []; // It is told of when the variables of the host are read.
    }
  });
}
