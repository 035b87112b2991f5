import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseSshArgs } from '../../../src/engine/connection/ssh-args.ts';
import { readSshConfig } from '../../../src/engine/connection/ssh-config.ts';
import { resolveJump, resolveTarget } from '../../../src/engine/connection/ssh-target.ts';
import { LOCAL, rejection } from './settings.ts';

describe('the ssh configuration', () => {
  const home = mkdtempSync(join(tmpdir(), 'tsprov-config-'));
  const file = join(home, '.ssh/config');
  mkdirSync(join(home, '.ssh/conf.d'), { recursive: true });
  after(() => rmSync(home, { recursive: true }));

  const write = (text: string) => writeFileSync(file, text);
  const read = async (host: string) =>
    Object.fromEntries(await readSshConfig({ host, given: new Map(), file, home }));
  const target = (host: string, sshArgs: readonly string[] = [], changes = {}) =>
    resolveTarget({
      ...LOCAL,
      name: host,
      address: host,
      sshArgs: ['-F', file, ...sshArgs],
      ...changes,
    });

  /** What `ssh -G` says, for the same file. */
  const fromSsh = (host: string, keyword: string) =>
    execFileSync('ssh', ['-T', '-G', '-F', file, host], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.startsWith(`${keyword} `))
      .map((line) => line.slice(keyword.length + 1));

  it('agrees with ssh about which lines apply to a host', async () => {
    write(`
      User before
      Host web* !web3 "other"
        Port 2201
        IdentityFile ~/a
        IdentityFile ~/b
      Host web1 web3
        User late
        Port 2202
        IdentityFile=~/c
      Match host web1,web2 user before
        HostName = %h.example.com
      Match originalhost web4 exec "test -d /tmp"
        Port 2204
      Match !host web*
        Port 2205
      Match all
        ConnectTimeout 7
        Port 22
        IdentityFile ~/z
    `);
    for (const host of ['web1', 'web2', 'web3', 'web4', 'other', 'db1']) {
      const options = await read(host);
      for (const keyword of ['user', 'port', 'identityfile', 'connecttimeout']) {
        expect(options[keyword], `${keyword} of ${host}`).to.deep.equal(fromSsh(host, keyword));
      }
      expect((await target(host)).host).to.equal(fromSsh(host, 'hostname')[0]);
    }
  });

  it('agrees with ssh about what a second pass adds', async () => {
    const texts = {
      'Match final': `
        Match host nothing final
          Port 1
        Match !final all
          User first
        Match final all
          Port 2201
          IdentityFile ~/final
        Match canonical
          User canonical
        Host web
          HostName %h.example.com
          IdentityFile ~/both
        Host web.example.com
          ConnectTimeout 7
        Match final originalhost web host *.com
          ConnectTimeout 8`,
      'no second pass': `
        Match canonical all
          Port 3
        Match !canonical
          User plain
        Host web
          HostName web.example.com
        Host web.example.com
          ConnectTimeout 7`,
      'CanonicalizeHostname always': `
        CanonicalizeHostname always
        Match canonical all
          Port 3`,
    };
    const defaults = { user: [userInfo().username], port: ['22'], connecttimeout: ['none'] };
    for (const [what, text] of Object.entries(texts)) {
      write(text);
      for (const host of ['web', 'db1']) {
        const options = { ...defaults, ...(await read(host)) };
        for (const keyword of ['user', 'port', 'connecttimeout'] as const) {
          const place = `${what}: ${keyword} of ${host}`;
          expect(options[keyword], place).to.deep.equal(fromSsh(host, keyword));
        }
        expect((await target(host)).host).to.equal(fromSsh(host, 'hostname')[0]);
      }
    }
    write(texts['Match final']);
    expect((await read('web'))['identityfile']).to.deep.equal(fromSsh('web', 'identityfile'));
  });

  it('follows Include with wildcards, in the place where it stands', async () => {
    writeFileSync(join(home, '.ssh/conf.d/1.conf'), 'Host a\n  Port 1\n');
    writeFileSync(
      join(home, '.ssh/conf.d/2.conf'),
      'Host a\n  Port 2\nHost b\n  Port 3\n  Include ~/.ssh/deep\n',
    );
    writeFileSync(join(home, '.ssh/deep'), 'User deep\n');
    write('Include conf.d/*.conf missing.conf\nHost *\n  Port 9\n');
    expect((await read('a'))['port']).to.deep.equal(['1']);
    expect(await read('b')).to.deep.equal({ port: ['3'], user: ['deep'] });
    expect((await read('c'))['port']).to.deep.equal(['9']);
  });

  it('survives a file that includes itself', async () => {
    write(`Include ${file}\nPort 5\n`);
    expect((await read('a'))['port']).to.deep.equal(['5']);
  });

  it('says so when the file given with -F cannot be read', async () => {
    const error = await rejection(target('a', ['-F', join(home, 'nowhere')]));
    expect(error.name).to.equal('InvalidInput');
    expect(error.message).to.match(/The ssh configuration ".*nowhere" cannot be read/);
  });

  it('names a file that cannot be understood', async () => {
    write('Host "web\n  Port 1\n');
    const error = await rejection(read('web'));
    expect([error.name, error.message]).to.deep.equal([
      'InvalidInput',
      `The ssh configuration "${file}" is not valid: Unexpected line break at web.`,
    ]);
  });

  it('prefers settings to arguments, and arguments to files', async () => {
    write(
      'Host *\n  User file\n  Port 1\n  IdentityFile /file\n  ConnectTimeout 3\n  ServerAliveInterval 9\n',
    );
    expect(await target('a')).to.deep.include({
      user: 'file',
      port: 1,
      identityFiles: ['/file'],
      keepaliveMs: 9000,
    });
    const args = ['-l', 'arg', '-p2', '-i', '/arg', '-o', 'ConnectTimeout=4'];
    expect(await target('a', args)).to.deep.include({
      user: 'arg',
      port: 2,
      identityFiles: ['/arg', '/file'],
      connectTimeoutMs: 4000,
    });
    expect(
      await target('a', args, { user: 'given', port: 3, privateKeyFile: '/given' }),
    ).to.deep.include({
      user: 'given',
      port: 3,
      identityFiles: ['/given', '/arg', '/file'],
    });
  });

  it('expands tokens, home directories and variables', async () => {
    process.env['TSPROV_TEST_DIR'] = '/from-env';
    write(`Host a
      HostName %h.example.com
      User deploy
      Port 22
      IdentityFile \${TSPROV_TEST_DIR}/%n-%h-%r
      UserKnownHostsFile ~/kh /etc/%%kh
      ProxyCommand nc -x "a b" %h %p # not a comment
    `);
    const found = await target('a');
    expect(found.identityFiles).to.deep.equal(['/from-env/a-a.example.com-deploy']);
    expect(found.hostKeys.files.slice(0, 2)).to.deep.equal([
      join(userInfo().homedir, 'kh'),
      '/etc/%kh',
    ]);
    expect(found.proxyCommand).to.match(/^nc -x "a b" a\.example\.com 22/);
    delete process.env['TSPROV_TEST_DIR'];
  });

  const policies = [
    ['no', 'strict', 'off'],
    ['off', 'strict', 'off'],
    ['accept-new', 'strict', 'accept-new'],
    ['yes', 'strict', 'strict'],
    ['ask', 'strict', 'strict'],
    ['yes', 'accept-new', 'accept-new'],
    ['yes', 'off', 'off'],
  ] as const;
  for (const [configured, setting, expected] of policies) {
    it(`checks host keys "${expected}" where the file says ${configured} and the settings say ${setting}`, async () => {
      write(`StrictHostKeyChecking ${configured}\n`);
      expect((await target('a', [], { hostKeyChecking: setting })).hostKeys.checking).to.equal(
        expected,
      );
    });
  }

  it('reads jump hosts in every spelling', async () => {
    write('Host alias\n  HostName 10.0.0.1\n  User fromfile\n  Port 7\n');
    const jump = (spec: string) =>
      resolveJump(spec, { ...LOCAL, password: 'secret', sshArgs: ['-F', file] });
    expect(await jump('alias')).to.deep.include({
      host: '10.0.0.1',
      user: 'fromfile',
      port: 7,
      password: undefined,
    });
    expect(await jump('me@alias:8')).to.deep.include({ host: '10.0.0.1', user: 'me', port: 8 });
    expect(await jump('ssh://me@[fe80::1]:9')).to.deep.include({
      host: 'fe80::1',
      user: 'me',
      port: 9,
    });
    expect((await target('a', ['-J', 'x, y@z:1'])).proxyJump).to.deep.equal(['x', 'y@z:1']);
    expect((await target('a', ['-o', 'ProxyJump=none'])).proxyJump).to.deep.equal([]);
  });
});

describe('arguments of ssh', () => {
  it('are read in every spelling', () => {
    const { options, configFile } = parseSshArgs([
      '-o',
      'User=one',
      '-oPort=22',
      '-o',
      'IdentityFile "a b"',
      '-i',
      'c',
      '-id',
      '-l',
      'ignored',
      '-F',
      'file',
      '-4',
      '-CqT',
      '-o',
      'ControlMaster=auto',
      '-o',
      'ControlPersist=60s',
      '-o',
      'ProxyCommand=ssh -W %h:%p "jump host"',
    ]);
    expect(configFile).to.equal('file');
    expect(Object.fromEntries(options)).to.deep.equal({
      user: ['one'],
      port: ['22'],
      identityfile: ['a b', 'c', 'd'],
      addressfamily: ['inet'],
      proxycommand: ['ssh -W %h:%p "jump host"'],
    });
  });

  it('that the ssh transport cannot honour are all refused at once, with the other transport named', async () => {
    const args = ['-L', '80:a:80', '-o', 'CertificateFile=x', '-o', 'Nonsense=1', '-o', 'User=ok'];
    const error = await rejection(Promise.resolve().then(() => parseSshArgs(args)));
    expect(error.name).to.equal('InvalidInput');
    for (const text of [
      '"-L"',
      '"-o CertificateFile=x"',
      '"-o Nonsense=1"',
      'ansible_connection=openssh',
    ]) {
      expect(error.message).to.include(text);
    }
    expect(error.message).not.to.include('User=ok');
  });
});
