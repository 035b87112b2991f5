import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  fingerprint,
  type HostKey,
  judge,
  keysOf,
  parseKnownHosts,
  readHostKey,
  recordHostKey,
} from '../../../src/engine/connection/known-hosts.ts';

describe('known_hosts', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tsprov-known-'));
  after(() => rmSync(dir, { recursive: true }));

  const makeHostKey = (name: string, type: string): HostKey => {
    const file = join(dir, name);
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', file]);
    return readHostKey(
      Buffer.from(readFileSync(`${file}.pub`, 'utf8').split(' ')[1] ?? '', 'base64'),
    );
  };
  const key = makeHostKey('key', 'ed25519');
  const other = makeHostKey('other', 'ed25519');
  const ecdsa = makeHostKey('ecdsa', 'ecdsa');
  const line = (names: string, { type, blob }: HostKey) =>
    `${names} ${type} ${blob.toString('base64')}`;
  const verdict = (text: string, host: string, port = 22) =>
    judge(parseKnownHosts(text, 'f'), { host, port }, key).is;

  const verdicts: readonly (readonly [string, string, number, string])[] = [
    ['web1', 'web1', 22, 'known'],
    ['web1', 'WEB1', 22, 'known'],
    ['web1,10.0.0.1', '10.0.0.1', 22, 'known'],
    ['web1', 'web2', 22, 'unknown'],
    ['web1', 'web11', 22, 'unknown'],
    ['web1', 'web1', 2222, 'known'],
    ['[web1]:2222', 'web1', 2222, 'known'],
    ['[web1]:2222', 'web1', 22, 'unknown'],
    ['web?', 'web1', 22, 'known'],
    ['*.example.com', 'a.b.example.com', 22, 'known'],
    ['*.example.com', 'example.com', 22, 'unknown'],
    ['*.example.com,!bad.example.com', 'bad.example.com', 22, 'unknown'],
    ['*', 'fe80::1', 22, 'known'],
    ['web.1', 'webx1', 22, 'unknown'],
  ];
  for (const [names, host, port, expected] of verdicts) {
    it(`finds a key on record for ${names} ${expected} at ${host}:${port}`, () => {
      expect(verdict(line(names, key), host, port)).to.equal(expected);
    });
  }

  it('reads names that ssh-keygen has hashed', () => {
    const file = join(dir, 'hashed');
    writeFileSync(file, `${line('web1', key)}\n${line('[web2]:2222', key)}\n`);
    execFileSync('ssh-keygen', ['-q', '-H', '-f', file], { stdio: 'ignore' });
    const text = readFileSync(file, 'utf8');
    expect(text).not.to.include('web1');
    expect([
      verdict(text, 'web1'),
      verdict(text, 'web2', 2222),
      verdict(text, 'web2'),
    ]).to.deep.equal(['known', 'known', 'unknown']);
  });

  it('tells a changed key from an unknown host, and says where the old one is', () => {
    const entries = parseKnownHosts(`# comment\n\n${line('web1', other)}`, 'file');
    const found = judge(entries, { host: 'web1', port: 22 }, key);
    expect(found).to.deep.include({ is: 'changed' });
    expect('entry' in found && `${found.entry?.file}:${found.entry?.line}`).to.equal('file:3');
  });

  it('takes a host with several keys by any of them', () => {
    expect(
      verdict(`${line('web1', other)}\n${line('web1', ecdsa)}\n${line('web1', key)}`, 'web1'),
    ).to.equal('known');
  });

  it('does not take a key of a new type for a host that has others on record', () => {
    expect(verdict(line('web1', ecdsa), 'web1')).to.equal('changed');
  });

  it('refuses a revoked key even where it is on record', () => {
    expect(verdict(`${line('web1', key)}\n@revoked ${line('*', key)}`, 'web1')).to.equal('revoked');
    expect(verdict(`${line('web1', key)}\n@revoked ${line('*', other)}`, 'web1')).to.equal('known');
  });

  it('does not take the key of a certificate authority for a host key', () => {
    const found = judge(
      parseKnownHosts(`@cert-authority ${line('*', key)}`, 'f'),
      { host: 'web1', port: 22 },
      key,
    );
    expect(found.is).to.equal('unknown');
    expect('authority' in found && found.authority?.line).to.equal(1);
  });

  it('passes over lines that mean nothing', () => {
    expect(
      parseKnownHosts('web1\nweb1 ssh-ed25519\n@what web1 ssh-rsa AAAA\nweb1 ssh-rsa !!!\n', 'f'),
    ).to.deep.equal([]);
  });

  it('names the types on record for a host', () => {
    const entries = parseKnownHosts(`${line('web1', ecdsa)}\n${line('web2', key)}`, 'f');
    expect(keysOf(entries, { host: 'web1', port: 22 }).map((each) => each.key.type)).to.deep.equal([
      'ecdsa-sha2-nistp256',
    ]);
  });

  it('prints fingerprints as ssh-keygen does', () => {
    const printed = execFileSync('ssh-keygen', ['-l', '-f', join(dir, 'key.pub')], {
      encoding: 'utf8',
    });
    expect(printed).to.include(fingerprint(key));
  });

  for (const hashed of [false, true]) {
    it(`records ${hashed ? 'hashed' : 'plain'} names so that ssh-keygen finds them`, async () => {
      const file = join(dir, `new-${hashed}`, 'known_hosts');
      await recordHostKey(file, { host: 'web1', port: 2222 }, key, { hashed });
      writeFileSync(file, readFileSync(file, 'utf8').trimEnd());
      await recordHostKey(file, { host: 'web2', port: 22 }, other, { hashed });
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      for (const name of ['[web1]:2222', 'web2']) {
        expect(
          execFileSync('ssh-keygen', ['-F', name, '-f', file], { encoding: 'utf8' }),
        ).to.include('found: line');
      }
      expect(readFileSync(file, 'utf8').includes('web')).to.equal(!hashed);
    });
  }
});
