import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { ansibleBin, pyinfraBin } from '../test/support/ansible.ts';
import { mustRun } from '../test/support/run-command.ts';
import { tsprovProgram } from '../test/support/tsprov.ts';
import type { Program } from './measure.ts';
import { playbook, pyinfraDeploy } from './workload.ts';

/** A host as every engine is to reach it. */
export interface Target {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly keyFile: string;
  readonly knownHostsFile: string;
}

/** An engine that brings targets to the state of the workload. */
export interface Contender {
  readonly name: string;
  /** Writes what it needs into a folder; gives how to run it. */
  readonly prepare: (folder: string, targets: readonly Target[]) => Promise<Program>;
}

const FORKS = 20;

/** Every engine that loads on this computer, tsprov first. */
export async function contenders(): Promise<Contender[]> {
  const bin = await ansibleBin();
  const mitogen = await mitogenStrategy(bin);
  return [
    { name: 'tsprov', prepare: prepareTsprov },
    {
      name: 'ansible-playbook',
      prepare: (folder, targets) => prepareAnsible(bin, {}, folder, targets),
    },
    ...(mitogen === undefined
      ? []
      : [
          {
            name: 'ansible-playbook, mitogen_linear',
            prepare: (folder: string, targets: readonly Target[]) =>
              prepareAnsible(
                bin,
                { ANSIBLE_STRATEGY_PLUGINS: mitogen, ANSIBLE_STRATEGY: 'mitogen_linear' },
                folder,
                targets,
              ),
          },
        ]),
    { name: 'pyinfra', prepare: preparePyinfra },
  ];
}

async function prepareTsprov(folder: string, targets: readonly Target[]): Promise<Program> {
  await writePlay(folder, targets);
  const args = ['play', '-i', 'hosts.yaml', 'play.yaml', '--forks', String(FORKS)];
  return {
    command: [process.execPath, await tsprovProgram(), ...args],
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8' },
  };
}

async function prepareAnsible(
  bin: string,
  settings: NodeJS.ProcessEnv,
  folder: string,
  targets: readonly Target[],
): Promise<Program> {
  await writePlay(folder, targets);
  return {
    command: [
      join(bin, 'ansible-playbook'),
      '-i',
      'hosts.yaml',
      'play.yaml',
      '--forks',
      String(FORKS),
    ],
    cwd: folder,
    env: {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: folder,
      LANG: 'C.UTF-8',
      ANSIBLE_PIPELINING: '1',
      ANSIBLE_SSH_ARGS: '-o ControlMaster=auto -o ControlPersist=60s',
      ...settings,
    },
  };
}

async function preparePyinfra(folder: string, targets: readonly Target[]): Promise<Program> {
  const bin = await pyinfraBin();
  await mkdir(folder, { recursive: true });
  const hosts = targets.map(({ name, address, port, keyFile, knownHostsFile }) => [
    name,
    {
      ssh_hostname: address,
      ssh_port: port,
      ssh_user: 'root',
      ssh_key: keyFile,
      ssh_known_hosts_file: knownHostsFile,
      folder: name,
    },
  ]);
  const lines = hosts.map(
    ([name, data]) => `  (${JSON.stringify(name)}, ${JSON.stringify(data)}),`,
  );
  await writeFile(join(folder, 'inventory.py'), `hosts = [\n${lines.join('\n')}\n]\n`);
  await writeFile(join(folder, 'deploy.py'), pyinfraDeploy());
  return {
    command: [join(bin, 'pyinfra'), '-y', '--parallel', String(FORKS), 'inventory.py', 'deploy.py'],
    cwd: folder,
    env: { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, LANG: 'C.UTF-8' },
  };
}

async function writePlay(folder: string, targets: readonly Target[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const hosts = targets.map(({ name, address, port, keyFile, knownHostsFile }) => [
    name,
    {
      ansible_host: address,
      ansible_port: port,
      ansible_user: 'root',
      ansible_ssh_private_key_file: keyFile,
      ansible_ssh_common_args: `-o UserKnownHostsFile=${knownHostsFile}`,
      ansible_python_interpreter: '/usr/bin/python3',
    },
  ]);
  await writeFile(
    join(folder, 'hosts.yaml'),
    stringify({ all: { hosts: Object.fromEntries(hosts) } }),
  );
  await writeFile(join(folder, 'play.yaml'), playbook());
}

/** Mitogen's plugin folder, or undefined where it is not installed. */
async function mitogenStrategy(bin: string): Promise<string | undefined> {
  const program = 'import ansible_mitogen; print(ansible_mitogen.__file__)';
  const file = await mustRun(join(bin, 'python'), ['-c', program]).catch(() => undefined);
  return file === undefined ? undefined : join(dirname(file.trim()), 'plugins/strategy');
}
