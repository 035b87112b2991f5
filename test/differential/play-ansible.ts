import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ansibleBin } from '../support/ansible.ts';
import { runCommand } from '../support/run-command.ts';
import { configuration } from './case.ts';
import { type Outcome, parseLines, type TaskResult } from './outcome.ts';

const TIMEOUT_MS = 600_000;

/** Plays a folder's play.yaml with real Ansible. `home` holds its connection sockets. */
export async function playAnsible(
  folder: string,
  args: readonly string[],
  home: string,
): Promise<Outcome> {
  const bin = await ansibleBin();
  const dump = `${folder}.results`;
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: home,
    LANG: 'C.UTF-8',
    ...((await configuration(folder)) ? { ANSIBLE_CONFIG: join(folder, 'ansible.cfg') } : {}),
    ANSIBLE_CALLBACK_PLUGINS: join(import.meta.dirname, 'callback'),
    ANSIBLE_STDOUT_CALLBACK: 'dump_results',
    ANSIBLE_PIPELINING: '1',
    // A node takes its time to greet where the computer is busy.
    ANSIBLE_TIMEOUT: '60',
    ANSIBLE_DEPRECATION_WARNINGS: '0',
    ANSIBLE_NOCOLOR: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    DUMP_RESULTS: dump,
  };
  const command = ['-i', 'inventory', 'play.yaml', ...args];
  const ended = await runCommand(join(bin, 'ansible-playbook'), command, {
    cwd: folder,
    env,
    timeoutMs: TIMEOUT_MS,
  });
  const records = parseLines(await readFile(dump, 'utf8').catch(() => ''));
  await rm(dump, { force: true });
  return {
    exitCode: ended.code,
    results: records.filter(({ event }) => event === 'result').map(toResult),
    recap: toRecap(records.find(({ event }) => event === 'recap')),
    output: ended.stdout + ended.stderr,
  };
}

function toResult(record: Record<string, unknown>): TaskResult {
  // Our own callback writes exactly these members; `item` only for loops.
  return { item: undefined, ...record } as unknown as TaskResult;
}

function toRecap(record: Record<string, unknown> | undefined): Outcome['recap'] {
  const hosts = Object.entries((record?.['hosts'] ?? {}) as Outcome['recap']);
  return Object.fromEntries(
    hosts.map(([host, { failures = 0, ...rest }]) => [host, { ...rest, failed: failures }]),
  );
}
