import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { exists } from '../support/cache.ts';
import type { NodeAccess } from '../support/nodes/node.ts';

const CASES = join(import.meta.dirname, 'cases');

/** One playbook that both engines play from the same start. */
export interface Case {
  readonly name: string;
  readonly folder: string;
  /** Arguments of each run, one after the other; a single run without arguments by default. */
  readonly runs: readonly (readonly string[])[];
  /** Commands run in the controller's folder before it is copied for both engines. */
  readonly prepare: readonly string[];
  /** A command run on both nodes before the first run. */
  readonly node: string | undefined;
  /** What to compare on the nodes beside the files of the case. */
  readonly packages: readonly string[];
  readonly units: readonly string[];
  readonly paths: readonly string[];
  /** Where the engines differ on purpose: a path of the comparison, and the entry of docs/differences.md. */
  readonly differences: Readonly<Record<string, string>>;
}

/** Folder on the nodes that belongs to a case. */
export const workFolder = (name: string) => `/tmp/diff/${name}`;

/** Reads every case. */
export async function readCases(): Promise<Case[]> {
  const names = (await readdir(CASES)).sort();
  return Promise.all(names.map(readCase));
}

async function readCase(name: string): Promise<Case> {
  const folder = join(CASES, name);
  const text = await readFile(join(folder, 'case.yaml'), 'utf8').catch(() => '{}');
  // Written by us in the shape of Case; a wrong key shows as a case that fails.
  const told = parse(text) as Partial<Case> & { args?: string[] };
  return {
    name,
    folder,
    runs: told.runs ?? [told.args ?? []],
    prepare: told.prepare ?? [],
    node: told.node,
    packages: told.packages ?? [],
    units: told.units ?? [],
    paths: [workFolder(name), ...(told.paths ?? [])],
    differences: told.differences ?? {},
  };
}

/** Copies a case into `parent`, under its name, with an inventory whose hosts h1, h2 and h3 are all this node. */
export async function layOut(test: Case, parent: string, node: NodeAccess): Promise<string> {
  const folder = join(parent, test.name);
  await cp(test.folder, folder, { recursive: true });
  await mkdir(join(folder, 'inventory'), { recursive: true });
  await writeFile(join(folder, 'inventory/hosts.yaml'), stringify(inventory(test.name, node)));
  return folder;
}

/** Whether the case has a configuration file of its own. */
export function configuration(folder: string): Promise<boolean> {
  return exists(join(folder, 'ansible.cfg'));
}

function inventory(name: string, node: NodeAccess) {
  return {
    all: {
      vars: {
        ansible_host: node.address,
        ansible_user: node.user,
        ansible_ssh_private_key_file: node.keyFile,
        ansible_ssh_common_args: `-o UserKnownHostsFile=${node.knownHostsFile}`,
        ansible_python_interpreter: '/usr/bin/python3',
        work: workFolder(name),
      },
      children: {
        web: { hosts: { h1: null, h2: null } },
        db: { hosts: { h3: null } },
      },
    },
  };
}
