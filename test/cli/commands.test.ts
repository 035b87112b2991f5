import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { playCommand } from '../../src/cli/commands/play.ts';
import { settingLookup } from '../../src/cli/setting-names.ts';
import { loadConfig } from '../../src/engine/config.ts';
import { PLUGIN_OPTIONS } from '../../src/engine/jinja/lookups/plugin-options.ts';
import { runTsprov } from '../support/tsprov.ts';

/** What users of ansible-playbook write, and the flag that it sets. */
const OPTIONS: readonly (readonly [args: readonly string[], flag: string, value: unknown])[] = [
  [['-i', 'a', '--inventory', 'b', '--inventory-file', 'c'], 'inventory', ['a', 'b', 'c']],
  [['-l', 'web', '--limit', 'db'], 'limit', ['web', 'db']],
  [['-e', 'a=1', '--extra-vars', '@f'], 'extraVars', ['a=1', '@f']],
  [['-t', 'x', '--tags', 'y,z'], 'tags', ['x', 'y,z']],
  [['--skip-tags', 'x'], 'skipTags', ['x']],
  [['-C'], 'check', true],
  [['-D'], 'diff', true],
  [['-f', '7'], 'forks', 7],
  [['--start-at-task', 'x'], 'startAtTask', 'x'],
  [['--step'], 'step', true],
  [['--force-handlers'], 'forceHandlers', true],
  [['--flush-cache'], 'flushCache', true],
  [['-u', 'me'], 'user', 'me'],
  [['-c', 'local'], 'connection', 'local'],
  [['-T', '3'], 'timeout', 3],
  [['--private-key', 'k'], 'privateKey', 'k'],
  [['--key-file', 'k'], 'privateKey', 'k'],
  [['--ssh-common-args', '-J x'], 'sshCommonArgs', '-J x'],
  [['--ssh-extra-args=-v'], 'sshExtraArgs', '-v'],
  [['--sftp-extra-args=-v'], 'sftpExtraArgs', '-v'],
  [['--scp-extra-args=-v'], 'scpExtraArgs', '-v'],
  [['-k'], 'askPass', true],
  [['--conn-pass-file', 'f'], 'connectionPasswordFile', 'f'],
  [['--connection-password-file', 'f'], 'connectionPasswordFile', 'f'],
  [['-b'], 'become', true],
  [['--become-method', 'su'], 'becomeMethod', 'su'],
  [['--become-user', 'db'], 'becomeUser', 'db'],
  [['-K'], 'askBecomePass', true],
  [['--become-pass-file', 'f'], 'becomePasswordFile', 'f'],
  [['--become-password-file', 'f'], 'becomePasswordFile', 'f'],
  [['--vault-id', 'a@f'], 'vaultId', ['a@f']],
  [['-J'], 'askVaultPass', true],
  [['--ask-vault-password'], 'askVaultPass', true],
  [['--vault-password-file', 'f'], 'vaultPasswordFile', ['f']],
  [['--vault-pass-file', 'f'], 'vaultPasswordFile', ['f']],
  [['-M', 'm'], 'modulePath', ['m']],
  [['--module-path', 'm'], 'modulePath', ['m']],
  [['-vvv'], 'verbose', 3],
  [['-v', '--verbose'], 'verbose', 2],
];

describe('the options of tsprov play', () => {
  for (const [args, flag, value] of OPTIONS) {
    it(`know ${args.join(' ')}`, async () => {
      const command: Command = playCommand(new AbortController().signal);
      command.exitOverride().action(() => undefined);
      await command.parseAsync(['site.yaml', ...args], { from: 'user' });
      expect(command.opts()[flag]).to.deep.equal(value);
    });
  }
});

describe('the config lookup', () => {
  it('knows settings by the names that Ansible gives them', () => {
    const lookup = settingLookup(loadConfig({ directory: '/', home: '/', environment: {} }));
    expect(lookup('DEFAULT_FORKS')).to.deep.equal({ value: 5, origin: 'default' });
    expect(lookup('DEFAULT_TIMEOUT')?.value).to.equal(10);
    expect(lookup('MAX_DIFF_SIZE')?.value).to.equal(104_448);
    expect(lookup('HOST_KEY_CHECKING')?.value).to.equal(true);
    expect(lookup('DEFAULT_HOST_LIST')?.value).to.deep.equal(['/etc/ansible/hosts']);
    expect(lookup('DEFAULT_REMOTE_USER')).to.deep.equal({ value: null, origin: 'default' });
    expect(lookup('NO_SUCH_SETTING')).to.equal(undefined);
  });

  it('knows every setting that options of plugins name', () => {
    const lookup = settingLookup(loadConfig({ directory: '/', home: '/', environment: {} }));
    const settings = [...PLUGIN_OPTIONS.values()].flatMap((options) =>
      [...options.values()].flatMap(({ setting }) => setting ?? []),
    );
    expect(settings.filter((name) => lookup(name) === undefined)).to.deep.equal([]);
  });

  it('tells where a setting comes from', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tsprov-test-'));
    writeFileSync(join(folder, 'ansible.cfg'), '[defaults]\nforks = 7\n');
    const environment = { ANSIBLE_TIMEOUT: '3' };
    const lookup = settingLookup(loadConfig({ directory: folder, home: '/', environment }));
    expect(lookup('DEFAULT_FORKS')).to.deep.equal({ value: 7, origin: `${folder}/ansible.cfg` });
    expect(lookup('DEFAULT_TIMEOUT')).to.deep.equal({ value: 3, origin: 'env: ANSIBLE_TIMEOUT' });
  });
});

describe('tsprov validate', () => {
  it('tells all problems of playbooks and variables at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tsprov-test-'));
    mkdirSync(join(folder, 'host_vars'));
    writeFileSync(join(folder, 'host_vars/here.yaml'), 'a: [1\n');
    writeFileSync(
      join(folder, 'site.yaml'),
      '[{hosts: all, tasks: [{pign: }, {file: {pth: /x}}]}]',
    );
    const { code, stderr } = await runTsprov(['validate', 'site.yaml', '-i', 'here,'], {
      cwd: folder,
    });
    rmSync(folder, { recursive: true });
    expect(code).to.equal(4);
    expect(stderr).to.match(/site\.yaml:1:\d+ .*"pign".*did you mean "ping"/);
    expect(stderr).to.match(/site\.yaml:1:\d+ .*pth.*did you mean "path"/);
    expect(stderr).to.match(/host_vars\/here\.yaml:\d+:\d+/);
  });
});

describe('tsprov facts', () => {
  it('gives one JSON object, by host', async () => {
    const args = ['facts', 'all', '-i', 'a,b,', '-c', 'local', '-a', 'filter=ansible_kernel'];
    const facts = JSON.parse((await runTsprov(args)).stdout);
    expect(Object.keys(facts)).to.deep.equal(['a', 'b']);
    expect(facts.a.ansible_kernel).to.equal(
      execFileSync('uname', ['-r'], { encoding: 'utf8' }).trim(),
    );
  });
});

describe('tsprov completion', () => {
  it('completes commands, options and modules in bash', async () => {
    const { stdout } = await runTsprov(['completion', 'bash']);
    const complete = (...words: readonly string[]) => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const script = `${stdout}\nCOMP_WORDS=(${line}) COMP_CWORD=${words.length - 1}\n_tsprov\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
    };
    expect(complete('tsprov', 'pl')).to.deep.equal(['play']);
    expect(complete('tsprov', 'play', '--start')).to.deep.equal(['--start-at-task']);
    expect(complete('tsprov', 'run', 'all', '-m', 'lineinf')).to.deep.equal(['lineinfile']);
    expect(complete('tsprov', 'vault', 'rek')).to.deep.equal(['rekey']);
  });
});
