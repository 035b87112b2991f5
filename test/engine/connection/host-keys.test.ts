import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from '../../../src/engine/connection/connect.ts';
import type { ConnectionSettings } from '../../../src/engine/connection/connection.ts';
import { makeKey, needSshd, publicKey, type Sshd, startSshd } from '../../support/sshd.ts';
import { rejection, sshArgs, sshSettings } from './settings.ts';

type Checking = ConnectionSettings['hostKeyChecking'];

describe(`host keys`, () => {
  let sshd: Sshd;
  let name: string;
  let strangersKey: string;

  before(async function () {
    needSshd(this);
    sshd = await startSshd({ hostKeyTypes: ['ed25519', 'rsa', 'ecdsa'] });
    name = `[127.0.0.1]:${sshd.port}`;
    strangersKey = publicKey(makeKey(sshd.dir, 'stranger', 'ed25519'));
  });
  after(() => sshd?.stop());

  const hostKey = (type: string) => publicKey(join(sshd.dir, `host_${type}`));
  const shownFingerprint = (type: string) => {
    const printed = execFileSync('ssh-keygen', ['-l', '-f', join(sshd.dir, `host_${type}.pub`)], {
      encoding: 'utf8',
    });
    return printed.split(' ')[1] ?? '';
  };
  const settings = (file: string, hostKeyChecking: Checking, more: readonly string[] = []) =>
    sshSettings(sshd, { hostKeyChecking, sshArgs: sshArgs(file, more) });
  const known = (text: string) => {
    const file = join(sshd.dir, `known-${Math.random()}`);
    writeFileSync(file, text);
    return file;
  };
  const enter = async (file: string, checking: Checking, more: readonly string[] = []) => {
    const connection = await connect(settings(file, checking, more));
    await connection.close();
  };

  for (const type of ['ed25519', 'rsa', 'ecdsa']) {
    it(`asks a host for the ${type} key that is on record, of all that it has`, () =>
      enter(known(`${name} ${hostKey(type)}\n`), 'strict'));
  }

  it('refuses an unknown host with its fingerprint and the ways to record it', async () => {
    const file = known('');
    const error = await rejection(enter(file, 'strict'));
    expect(error.name).to.equal('Unreachable');
    expect(error.message).to.equal(
      `The host key of web1 (${name}) is not known: ssh-ed25519 ${shownFingerprint('ed25519')}.`,
    );
    expect(error['hint'])
      .to.include(`ssh-keyscan -p ${sshd.port} 127.0.0.1 >> ${file}`)
      .and.include('--accept-new');
    expect(readFileSync(file, 'utf8')).to.equal('');
  });

  it('cures an unknown host by the command that it names', async () => {
    const file = known('');
    const error = await rejection(enter(file, 'strict'));
    const [, command = ''] = /`(.*)`/.exec(String(error['hint'])) ?? [];
    execFileSync('/bin/sh', ['-c', command], { stdio: 'ignore' });
    await enter(file, 'strict');
  });

  for (const checking of ['strict', 'accept-new'] as const) {
    it(`refuses a changed key under ${checking}, and names the cure, which works`, async () => {
      const file = known(`other ${strangersKey}\n${name} ${strangersKey}\n`);
      const error = await rejection(enter(file, checking));
      expect(error.name).to.equal('Unreachable');
      expect(error.message).to.match(
        / has changed: it shows ssh-ed25519 SHA256:.*, but .*:2 has ssh-ed25519 SHA256:/,
      );
      const [, command = ''] = /`(.*)`/.exec(String(error['hint'])) ?? [];
      execFileSync('/bin/sh', ['-c', command], { stdio: 'ignore' });
      expect((await rejection(enter(file, 'strict'))).message).to.match(/is not known/);
    });

    it(`refuses a revoked key under ${checking}`, async () => {
      const file = known(`${name} ${hostKey('ed25519')}\n@revoked * ${hostKey('ed25519')}\n`);
      const error = await rejection(enter(file, checking));
      expect(error.message).to.match(/ is revoked: ssh-ed25519 SHA256:.*, by .*:2\.$/);
    });
  }

  it('names the openssh transport where only a certificate authority vouches for the host', async () => {
    const error = await rejection(enter(known(`@cert-authority * ${strangersKey}\n`), 'strict'));
    expect(error.message).to.match(/is not known/);
    expect(error['hint']).to.include('ansible_connection=openssh');
  });

  it('records an unknown key under accept-new, and knows it from then on', async () => {
    const file = known('');
    await enter(file, 'accept-new');
    await enter(file, 'strict');
    expect(readFileSync(file, 'utf8')).to.equal(`${name} ${hostKey('ed25519')}\n`);
  });

  it('hashes recorded names where the configuration says so', async () => {
    const file = known('');
    await enter(file, 'accept-new', ['HashKnownHosts=yes']);
    expect(readFileSync(file, 'utf8')).to.match(/^\|1\|/);
    await enter(file, 'strict');
  });

  it('checks nothing where checking is off, in the settings or in the ssh arguments', async () => {
    const file = known(`${name} ${strangersKey}\n`);
    await enter(file, 'off');
    await enter(file, 'strict', ['StrictHostKeyChecking=no']);
    expect(readFileSync(file, 'utf8')).to.equal(`${name} ${strangersKey}\n`);
  });

  it('reads several files', async () => {
    const second = known(`${name} ${hostKey('ed25519')}\n`);
    await enter(`${known('')} ${second}`, 'strict');
    await enter(known(''), 'strict', [`HostKeyAlias=other`]).then(
      () => expect.fail('an alias that is not on record was taken'),
      (error: Error) => expect(error.message).to.include('(other)'),
    );
  });

  it('says the same over openssh', async () => {
    const given = {
      ...settings(known(`${name} ${strangersKey}\n`), 'strict'),
      transport: 'openssh',
    } as const;
    const error = await rejection(connect(given));
    expect(error.message).to.match(/HOST IDENTIFICATION HAS CHANGED/);
    expect(error['hint']).to.match(/ssh-keygen/);
  });
});
