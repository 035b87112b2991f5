import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from '../../../src/engine/connection/connect.ts';
import type { ConnectionSettings } from '../../../src/engine/connection/connection.ts';
import { makeKey, needSshd, type Sshd, startSshd } from '../../support/sshd.ts';
import { makeUser, type TestUser } from '../../support/users.ts';
import { connected, rejection, sshArgs, sshSettings } from './settings.ts';

const PASSWORD = "it's a 'password' with $(id)";

describe(`logging in`, () => {
  let sshd: Sshd;
  let user: TestUser;
  let dir: string;
  let lockedKey: string;

  before(async function () {
    needSshd(this);
    sshd = await startSshd();
    user = makeUser({ password: PASSWORD });
    dir = mkdtempSync(join(tmpdir(), 'tsprov-login-'));
    lockedKey = join(dir, 'locked');
    copyFileSync(sshd.keyFile, lockedKey);
    execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'open sesame', '-f', lockedKey]);
  });
  after(async () => {
    await sshd?.stop();
    user?.remove();
    if (dir !== undefined) rmSync(dir, { recursive: true });
  });

  const whoAmI = (settings: ConnectionSettings) =>
    connected(settings, async (shell) => String((await shell.run('id -un')).stdout).trim());

  for (const transport of ['ssh', 'openssh'] as const) {
    describe(`with ${transport}`, () => {
      const settings = (changes: Partial<ConnectionSettings> = {}) =>
        sshSettings(sshd, { transport, ...changes });
      const byPassword = (password: string) =>
        settings({ user: user.name, password, privateKeyFile: join(dir, 'no-such-key') });

      it('takes a password', async () => {
        expect(await whoAmI(byPassword(PASSWORD))).to.equal(user.name);
      });

      it('answers a keyboard-interactive question with the password', async () => {
        const asking = await startSshd({
          config: ['PasswordAuthentication no', 'KbdInteractiveAuthentication yes'],
        });
        const given = sshSettings(asking, {
          transport,
          user: user.name,
          password: PASSWORD,
          privateKeyFile: '/nowhere',
        });
        try {
          expect(await whoAmI(given)).to.equal(user.name);
        } finally {
          await asking.stop();
        }
      });

      it('says that a password is wrong', async () => {
        const error = await rejection(connect(byPassword('wrong')));
        expect(error.name).to.equal('Unreachable');
        expect(error.message).to.match(
          transport === 'ssh' ? /refuses the login of .* offered .*password/ : /Permission denied/,
        );
      });

      it('takes a key with its passphrase', async () => {
        const given = settings({ privateKeyFile: lockedKey, privateKeyPassphrase: 'open sesame' });
        expect(await whoAmI(given)).to.equal('root');
      });

      it('asks for the passphrase of a key, once for all hosts', async () => {
        const questions: string[] = [];
        const prompt = async (question: string) => {
          questions.push(question);
          return 'open sesame';
        };
        const given = settings({ privateKeyFile: lockedKey, prompt });
        expect(await Promise.all([whoAmI(given), whoAmI(given)])).to.deep.equal(['root', 'root']);
        expect(questions).to.deep.equal([`Passphrase for ${lockedKey}: `]);
      });

      it('says that a key is locked where nobody can be asked', async () => {
        const error = await rejection(connect(settings({ privateKeyFile: lockedKey })));
        expect(error.name).to.equal('Unreachable');
        expect(error.message)
          .to.include(lockedKey)
          .and.to.match(/locked by a passphrase/);
      });

      it('asks for the passphrases of keys that the ssh configuration names', async () => {
        const other = makeKey(dir, `other-${transport}`, 'ed25519', 'of another');
        const config = join(dir, `keys-${transport}`);
        writeFileSync(config, `IdentityFile "${other}"\nIdentityFile "${lockedKey}"\n`);
        const questions: string[] = [];
        const prompt = async (question: string) => {
          questions.push(question);
          return question.includes(other) ? 'of another' : 'open sesame';
        };
        const args = [...sshArgs(sshd.knownHostsFile).slice(2), '-F', config];
        const given = settings({ privateKeyFile: undefined, sshArgs: args, prompt });
        expect(await whoAmI(given)).to.equal('root');
        // The ssh command opens only keys that the host knows, where their public halves are there.
        const asked = transport === 'ssh' ? [other, lockedKey] : [lockedKey];
        expect(questions).to.deep.equal(asked.map((key) => `Passphrase for ${key}: `));
      });

      it('says that the passphrase of a key is wrong', async () => {
        const prompt = async () => 'open please';
        const error = await rejection(connect(settings({ privateKeyFile: lockedKey, prompt })));
        expect(error.name).to.equal('Unreachable');
        expect(error.message)
          .to.include(lockedKey)
          .and.to.match(/passphrase/);
      });

      it('follows jump hosts from the arguments', async () => {
        const jump = await startSshd({ keysOf: sshd });
        const config = join(dir, `jump-${transport}`);
        writeFileSync(config, jumpConfig(jump, sshd));
        try {
          const given = settings({ sshArgs: ['-F', config, '-o', 'ProxyJump=bastion'] });
          expect(await whoAmI(given)).to.equal('root');
          const twice = settings({ sshArgs: ['-F', config, '-J', 'bastion,root@second'] });
          expect(await whoAmI(twice)).to.equal('root');
        } finally {
          await jump.stop();
        }
      });

      it('speaks through a ProxyCommand', async () => {
        const command = `ProxyCommand=busybox nc %h %p`;
        expect(
          await whoAmI(settings({ sshArgs: sshArgs(sshd.knownHostsFile, [command]) })),
        ).to.equal('root');
      });

      it('says why a ProxyCommand failed', async () => {
        const args = sshArgs(sshd.knownHostsFile, ['ProxyCommand=sh -c "echo no way >&2; exit 3"']);
        expect((await rejection(connect(settings({ sshArgs: args })))).message).to.match(/no way/);
      });

      it('takes names, ports, users and keys from a configuration file with Include', async () => {
        writeFileSync(
          join(dir, `included-${transport}`),
          `Port ${sshd.port}\nIdentityFile ${sshd.keyFile}\n`,
        );
        const config = join(dir, `config-${transport}`);
        const lines = [
          `Include ${join(dir, 'inc*-')}${transport}`,
          'Host web?',
          '  HostName 127.0.0.1',
          '  User root',
          `  UserKnownHostsFile ${sshd.knownHostsFile}`,
        ];
        writeFileSync(config, lines.join('\n'));
        const {
          port: _port,
          user: _user,
          privateKeyFile: _key,
          ...rest
        } = settings({ sshArgs: ['-F', config] });
        expect(await whoAmI({ ...rest, address: 'web1' })).to.equal('root');
      });
    });
  }

  describe('with an agent', () => {
    let agent: ChildProcess;
    let socket: string;

    before(async () => {
      socket = join(dir, 'agent');
      agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'inherit'] });
      if (agent.stdout !== null) await once(agent.stdout, 'data');
      const strangers = [1, 2, 3, 4, 5, 6].map((n) => makeKey(dir, `stranger${n}`, 'ed25519'));
      execFileSync('ssh-add', ['-q', ...strangers, sshd.keyFile], {
        env: { ...process.env, SSH_AUTH_SOCK: socket },
      });
    });
    after(() => agent?.kill());

    const withAgent = (more: readonly string[], privateKeyFile: string | undefined) => {
      const args = ['-o', `IdentityAgent=${socket}`, ...sshArgs(sshd.knownHostsFile, more)];
      const { privateKeyFile: _key, ...rest } = sshSettings(sshd, { sshArgs: args });
      return privateKeyFile === undefined ? rest : { ...rest, privateKeyFile };
    };

    it('offers its keys', async () => {
      execFileSync('ssh-add', ['-q', '-D'], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
      execFileSync('ssh-add', ['-q', sshd.keyFile], {
        env: { ...process.env, SSH_AUTH_SOCK: socket },
      });
      expect(await whoAmI(withAgent([], undefined))).to.equal('root');
    });

    it('offers only the chosen one of many with IdentitiesOnly, by its public half alone', async () => {
      const strangers = [1, 2, 3, 4, 5, 6].map((n) => join(dir, `stranger${n}`));
      const env = { ...process.env, SSH_AUTH_SOCK: socket };
      execFileSync('ssh-add', ['-q', '-D'], { env });
      execFileSync('ssh-add', ['-q', ...strangers, sshd.keyFile], { env });
      copyFileSync(`${sshd.keyFile}.pub`, join(dir, 'chosen.pub'));
      expect(existsSync(join(dir, 'chosen'))).to.equal(false);
      expect(await whoAmI(withAgent(['IdentitiesOnly=yes'], join(dir, 'chosen')))).to.equal('root');
      expect(await whoAmI(withAgent([], sshd.keyFile))).to.equal('root');
      const error = await rejection(connect(withAgent([], undefined)));
      expect(error.message).to.match(/refuses the login of "root": offered keys of the agent/);
    });
  });
});

function jumpConfig(jump: Sshd, last: Sshd): string {
  return [
    'Host bastion',
    `  HostName 127.0.0.1`,
    `  Port ${jump.port}`,
    'Host second',
    '  HostName 127.0.0.1',
    `  Port ${jump.port}`,
    'Host *',
    '  User root',
    '  IdentityAgent none',
    `  IdentityFile ${last.keyFile}`,
    `  UserKnownHostsFile ${jump.knownHostsFile} ${last.knownHostsFile}`,
    '',
  ].join('\n');
}
