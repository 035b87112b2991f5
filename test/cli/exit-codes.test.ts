import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { VaultSecrets } from '../../src/engine/vault/secrets.ts';
import { runTsprov, tsprovProgram } from '../support/tsprov.ts';

const PLAYBOOKS: Readonly<Record<string, string>> = {
  good: '[{hosts: all, gather_facts: false, tasks: [{ping: }]}]',
  failing: '[{hosts: all, gather_facts: false, tasks: [{fail: }]}]',
  ignored: '[{hosts: all, gather_facts: false, tasks: [{fail: , ignore_errors: true}]}]',
  changing:
    '[{hosts: all, gather_facts: false, tasks: [{file: {path: FOLDER/new, state: directory}}]}]',
  nameless: '[{hosts: all, gather_facts: false, serial: "{{ nothing }}", tasks: [{ping: }]}]',
  nobody: '[{hosts: nobody, tasks: [{ping: }]}]',
  broken: '[{hosts: all, tasks: [',
  misspelt: '[{hosts: all, tasks: [{pign: }]}]',
  locked: new VaultSecrets([{ label: 'default', password: 'p' }]).encrypt('[]'),
};

const HERE = ['-i', 'here,', '-c', 'local'];
/** Nothing listens there. */
const AWAY = ['-i', 'away,', '-e', 'ansible_host=127.0.0.1 ansible_port=1'];

const REKEY = ['--new-vault-id', 'a@b', '--new-vault-password-file', 'c'];

const CASES: readonly (readonly [code: number, why: string, args: readonly string[]])[] = [
  [0, 'all is well', ['play', 'good', ...HERE]],
  [0, 'failures are ignored', ['play', 'ignored', ...HERE]],
  [0, 'changes are pending in a check run', ['play', 'changing', ...HERE, '--check']],
  [
    3,
    'changes are pending and --detailed-exitcode is given',
    ['play', 'changing', ...HERE, '--check', '--detailed-exitcode'],
  ],
  [1, 'no host matches', ['play', 'nobody', ...HERE]],
  [0, 'no host matches and --allow-empty is given', ['play', 'nobody', ...HERE, '--allow-empty']],
  [1, 'there is no such playbook', ['play', 'absent', ...HERE]],
  [4, 'a keyword of a play is undefined', ['play', 'nameless', ...HERE]],
  [2, 'a host failed', ['play', 'failing', ...HERE]],
  [2, 'an option is not known', ['play', 'good', '--bogus']],
  [2, 'a command is not known', ['paly']],
  [2, 'an option of a vault command is not known', ['vault', 'view', '--bogus', 'x']],
  [2, 'two options exclude each other', ['vault', 'rekey', ...REKEY, 'x']],
  [1, 'a playbook is encrypted and no password is given', ['play', 'locked', ...HERE]],
  [4, 'a host is unreachable', ['play', 'good', ...AWAY]],
  [4, 'a playbook is no YAML', ['play', 'broken', ...HERE]],
  [4, 'a module is misspelt', ['play', 'misspelt', ...HERE]],
  [5, 'an extra variable is malformed', ['play', 'good', ...HERE, '-e', 'x']],
  [5, 'there is no such output', ['play', 'good', ...HERE, '--output', 'nosuch']],
  [
    5,
    'two sources of a password are named',
    ['play', 'good', ...HERE, '-k', '--conn-pass-file', 'x'],
  ],
  [2, 'a single module fails', ['run', 'all', ...HERE, '-a', 'false']],
  [2, 'a single module does not exist', ['run', 'all', ...HERE, '-m', 'pign']],
  [2, 'no module is named', ['run', 'all', ...HERE, '-m', '']],
  [2, 'a single module gets wrong arguments', ['run', 'all', ...HERE, '-m', 'ping', '-a', 'x=1']],
  [1, 'a single module is for nobody', ['run', 'nobody', ...HERE, '-m', 'ping']],
  [0, 'that is meant', ['run', 'nobody', ...HERE, '-m', 'ping', '--allow-empty']],
  [1, 'the inventory does not exist', ['run', 'all', '-i', '/nowhere', '-m', 'ping']],
  [4, 'a single module finds no host', ['run', 'all', ...AWAY, '-m', 'ping']],
];

describe('the exit code', () => {
  let folder = '';

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tsprov-test-'));
    for (const [name, text] of Object.entries(PLAYBOOKS))
      writeFileSync(join(folder, `${name}.yaml`), text.replaceAll('FOLDER', folder));
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const [code, why, args] of CASES) {
    it(`is ${code} where ${why}`, async () => {
      const named = args.map((arg, i) =>
        i === 1 && args[0] === 'play' ? join(folder, `${arg}.yaml`) : arg,
      );
      const result = await runTsprov(named, { cwd: folder });
      expect(result.code, result.stderr).to.equal(code);
    });
  }

  it('is 99 after Ctrl-C, with a recap and nothing left running', async () => {
    const run = await interrupted(1);
    expect(run.code).to.equal(99);
    expect(run.stdout).to.include('PLAY RECAP');
    await gone(run.pid);
  });

  it('is 99 at once after a second Ctrl-C', async () => {
    const run = await interrupted(2);
    expect(run.code).to.equal(99);
    await gone(run.pid);
  });

  async function interrupted(times: number) {
    const pidFile = join(folder, `pid-${times}`);
    const playbook = join(folder, `sleeping-${times}.yaml`);
    const script = `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec sleep 1000`;
    const play = { hosts: 'all', gather_facts: false, tasks: [{ shell: script }] };
    writeFileSync(playbook, JSON.stringify([play]));
    const child = spawn(process.execPath, [await tsprovProgram(), 'play', playbook, ...HERE]);
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    const ended = once(child, 'close');
    const pid = await until(() => Number(readFileSync(pidFile, 'utf8')));
    for (let i = 0; i < times; i++) child.kill('SIGINT');
    const [code] = (await ended) as [number]; // What close reports.
    return { code, stdout, pid };
  }
});

/** Resolves when a process is gone. */
async function gone(pid: number): Promise<void> {
  await until(() => {
    if (isAlive(pid)) throw new Error(`process ${pid} is still there`);
    return true;
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

/** What a function gives as soon as it does not throw any more. */
async function until<T>(ask: () => T, deadline = Date.now() + 120_000): Promise<T> {
  for (;;) {
    try {
      return ask();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await wait(20);
    }
  }
}
