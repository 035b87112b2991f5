import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ansibleBin } from '../support/ansible.ts';
import { type NodeAccess, sshArguments } from '../support/nodes/node.ts';
import { mustRun } from '../support/run-command.ts';
import { tsprovProgram } from '../support/tsprov.ts';

export type Engine = 'ansible' | 'tsprov';

/** A copy of the targets for one run of one engine. */
export interface Site {
  readonly engine: Engine;
  /** What belongs to the run. */
  readonly folder: string;
  /** The copy of `test/integration`. */
  readonly integration: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Ansible's commands, and what stands for them. */
const COMMANDS: Readonly<Record<string, string | undefined>> = {
  ansible: 'run',
  'ansible-playbook': 'play',
  'ansible-inventory': 'inventory',
  'ansible-vault': 'vault',
  'ansible-doc': 'doc',
  'ansible-galaxy': undefined,
  'ansible-config': undefined,
  'ansible-console': undefined,
  'ansible-pull': undefined,
};

const SETTINGS = {
  ANSIBLE_FORCE_COLOR: 'false',
  ANSIBLE_FORCE_HANDLERS: 'true',
  ANSIBLE_HOST_PATTERN_MISMATCH: 'error',
  ANSIBLE_INVENTORY: '/dev/null',
  ANSIBLE_LIBRARY: '/dev/null',
  ANSIBLE_DEPRECATION_WARNINGS: 'false',
  ANSIBLE_DEVEL_WARNING: 'false',
  ANSIBLE_HOST_KEY_CHECKING: 'false',
  ANSIBLE_RETRY_FILES_ENABLED: 'false',
  // A node takes its time to greet where the computer is busy.
  ANSIBLE_TIMEOUT: '60',
  PYTHONDONTWRITEBYTECODE: '1',
};

/** What a site is laid out for. */
export interface Plan {
  readonly engine: Engine;
  /** The folder of ansible-core's archive. */
  readonly source: string;
  /** Where the site is to be: a folder of its own. */
  readonly folder: string;
  /** The target that is to be played. */
  readonly target: string;
}

/** Lays out a target for an engine in a new folder, with `testhost` on a node or here. */
export async function layOutSite(
  { engine, source, folder, target }: Plan,
  node: NodeAccess | undefined,
): Promise<Site> {
  const integration = join(folder, 'src/test/integration');
  await copyTargets(join(source, 'test/integration'), integration, target);
  for (const path of ['lib', 'hacking', 'test/lib', 'test/support']) {
    await symlink(join(source, path), join(folder, 'src', path)).catch(() => undefined);
  }
  for (const name of ['home', 'logs', 'output', 'bin']) await mkdir(join(folder, name));
  await writeFile(join(integration, 'inventory'), await inventory(node));
  await writeFile(join(folder, 'ansible.cfg'), '[defaults]\n');
  for (const name of Object.keys(COMMANDS)) await writeShim(join(folder, 'bin'), name, engine);
  return { engine, folder, integration, env: await environment(folder, integration) };
}

/** Copies a target with what it names: all of them are thousands of files. */
async function copyTargets(from: string, to: string, target: string): Promise<void> {
  const names = await readdir(join(from, 'targets'));
  const words = new Set((await readAll(join(from, 'targets', target))).split(/[^\w-]+/));
  const isNeeded = (name: string) =>
    name === target || /^(setup|prepare)_/.test(name) || words.has(name);
  const wanted = names.filter(isNeeded).map((name) => join(from, 'targets', name));
  const beside = (await readdir(from)).filter((name) => name !== 'targets');
  await mkdir(join(to, 'targets'), { recursive: true });
  await mustRun('cp', ['-a', ...wanted, join(to, 'targets')]);
  await mustRun('cp', ['-a', ...beside.map((name) => join(from, name)), to]);
}

async function readAll(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

async function environment(folder: string, integration: string): Promise<NodeJS.ProcessEnv> {
  const bin = await ansibleBin();
  const path = [join(folder, 'bin'), bin, dirname(process.execPath), process.env['PATH']];
  return {
    ...SETTINGS,
    PATH: path.join(':'),
    HOME: join(folder, 'home'),
    LANG: 'C.UTF-8',
    USER: 'root',
    TERM: 'dumb',
    ANSIBLE_CONFIG: join(folder, 'ansible.cfg'),
    INVENTORY_PATH: join(integration, 'inventory'),
    OUTPUT_DIR: join(folder, 'output'),
    LOGS: join(folder, 'logs'),
    ANSIBLE_TEST_ANSIBLE_LIB_ROOT: join(folder, 'src/lib/ansible'),
    ANSIBLE_TEST_PYTHON_INTERPRETER: join(bin, 'python3'),
  };
}

async function inventory(node: NodeAccess | undefined): Promise<string> {
  const words = node
    ? [
        'ansible_connection=ssh ansible_python_interpreter=/usr/bin/python3',
        `ansible_host=${node.address} ansible_user=root`,
        `ansible_ssh_private_key_file=${node.keyFile}`,
        `ansible_ssh_extra_args="${sshArguments(node).slice(4).join(' ')}"`,
      ]
    : [
        'ansible_connection=local',
        `ansible_python_interpreter=${join(await ansibleBin(), 'python3')}`,
      ];
  return `[testgroup]\ntesthost ansible_pipelining=yes ${words.join(' ')}\n`;
}

/** The program that a script calls under the name of Ansible's; it records each call beside running it. */
async function writeShim(folder: string, name: string, engine: Engine): Promise<void> {
  const command = COMMANDS[name];
  const program =
    engine === 'tsprov' && command
      ? `'${process.execPath}' '${await tsprovProgram()}' ${command}`
      : `'${join(await ansibleBin(), name)}'`;
  const lines = [
    '#!/bin/bash',
    'n=$(printf %03d $(ls "$LOGS"/*.cmd 2> /dev/null | wc -l))',
    `printf '%s\\n' ${name} "$@" > "$LOGS/$n.cmd"; echo "$PWD" > "$LOGS/$n.cwd"`,
    'set -o pipefail',
    `${program} "$@" 2> >(tee "$LOGS/$n.err" >&2) | tee "$LOGS/$n.out"`,
    'code=$?; echo $code > "$LOGS/$n.code"; exit $code',
  ];
  const path = join(folder, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  await chmod(path, 0o755);
}
