import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ansibleBin } from '../support/ansible.ts';
import { runCommand } from '../support/run-command.ts';
import { runTsprov } from '../support/tsprov.ts';

const PLAYBOOK = join(import.meta.dirname, 'output');

/** What is another on every run, and Ansible's word on its own program, plugins and imports. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+/g, 'TIME'],
  [/"delta": "[\d:.]+"/g, '"delta": "TIME"'],
  [/^ansible-playbook \[core(?:.*\n)*? {2}pyyaml version.*\n/m, ''],
  [/^(?:Skipping callback|statically imported:|creating host via|round trips:).*\n/gm, ''],
  // Ansible notes it before the result, in which a handler that is missing would not be shown.
  [/^Notification for handler .*\n/gm, ''],
  // A skipped meta task gives its reason in words of its own.
  [/^META: \w+ conditional evaluated to False.*\n/gm, ''],
  [/^(skipping: \[\w+\] => )\{.*"skip_reason": "\w+ conditional evaluated.*\}$/gm, '$1{}'],
];

describe('what tsprov prints beside what Ansible prints', () => {
  let home: string;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'td-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  /** stdout of the same playbook, from the same start. */
  async function printed(
    play: (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) => Promise<string>,
    args: readonly string[],
  ): Promise<string> {
    const folder = join(home, 'site');
    await cp(PLAYBOOK, folder, { recursive: true });
    const bin = await ansibleBin();
    const env = {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: home,
      LANG: 'C.UTF-8',
      NO_COLOR: '1',
    };
    const python = `ansible_python_interpreter=${join(bin, 'python3')}`;
    const all = ['play.yaml', '-i', 'here,', '-c', 'local', '-e', python, ...args];
    const text = await play(all, folder, env);
    await rm(folder, { recursive: true });
    return VOLATILE.reduce((shown, [pattern, by]) => shown.replace(pattern, by), text);
  }

  for (const args of [[], ['-vv'], ['--diff'], ['--tags', 'none']]) {
    it(`is the same with ${args.join(' ') || 'no options'}`, async () => {
      const theirs = await printed(async (given, cwd, env) => {
        const program = join(await ansibleBin(), 'ansible-playbook');
        return (await runCommand(program, given, { cwd, env })).stdout;
      }, args);
      const ours = await printed(
        async (given, cwd, env) => (await runTsprov(['play', ...given], { cwd, env })).stdout,
        args,
      );
      expect(ours).to.equal(theirs);
    });
  }
});
