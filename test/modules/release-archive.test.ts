import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { makeWorld, type PlayedHere, playHere, type World } from '../support/play-here.ts';
import { HERE } from '../support/releases/go-build.ts';
import {
  publish,
  type ReleaseServer,
  sha256,
  startReleaseServer,
  sumLine,
} from '../support/releases/release-server.ts';
import { elf, tarball } from '../support/releases/tarball.ts';

const ELSEWHERE = HERE === 'arm64' ? 'amd64' : 'arm64';
const BASE = '/github.com/acme/tool/releases';

describe('release_archive', () => {
  let server: ReleaseServer;
  let world: World;

  beforeEach(async () => {
    server = await startReleaseServer();
    world = makeWorld();
  });
  afterEach(async () => {
    await server.close();
    world.remove();
  });

  const asset = (version: string, arch = HERE) => `tool-${version}-linux-${arch}.tgz`;

  /** Publishes a version whose archive holds these members, with a list of sums beside it. */
  async function release(
    version: string,
    members: Parameters<typeof tarball>[0] = { 'bin/tool': elf(HERE, version) },
    options: { latest?: boolean; sums?: (content: Buffer, name: string) => string } = {},
  ): Promise<Buffer> {
    const content = await tarball(members);
    const name = asset(version);
    const sums = Buffer.from((options.sums ?? sumLine)(content, name));
    const assets = { [name]: content, [`${name}.sha256`]: sums };
    publish(server, { repository: 'acme/tool', tag: `v${version}`, assets }, options);
    return content;
  }

  function play(more: Record<string, unknown> = {}, options: Parameters<typeof playHere>[1] = {}) {
    const args = {
      ...{ name: 'tool', repository: 'acme/tool', asset: 'tool-{version}-linux-{arch}.tgz' },
      ...{ checksum_asset: '{asset}.sha256', dest: world.path('{{ inventory_hostname }}') },
      ...{ files_repo: server.url, lock_file: world.path('tsprov.lock.yaml') },
      ...{
        state_dir: world.path('{{ inventory_hostname }}.state'),
        cache_dir: world.path('cache'),
      },
      ...more,
    };
    const given = Object.fromEntries(Object.entries(args).filter(([, each]) => each !== null));
    const tasks = [{ name: 'Install', release_archive: given, register: 'r' }];
    world.write({ 'play.yaml': JSON.stringify([{ hosts: 'all', gather_facts: false, tasks }]) });
    return playHere(world, options);
  }

  const tool = (host = 'localhost') => world.path(`${host}/bin/tool`);
  const version = (host?: string) => readFileSync(tool(host)).subarray(64).toString();
  const lock = () => readFileSync(world.path('tsprov.lock.yaml'), 'utf8');
  const left = () => readdirSync(world.path('localhost')).filter((name) => name.startsWith('.'));
  const check = { flags: { check: true, diff: true } };

  async function refusal(run: Promise<PlayedHere>): Promise<string> {
    const { failures } = await run;
    expect(failures).to.have.length(1);
    return failures.join();
  }

  it('installs the newest release with root-only write access and leaves nothing else', async () => {
    await release('1.9.0', undefined, { latest: false });
    const content = await release('1.10.0', {
      'bin/tool': elf(HERE, '1.10.0'),
      'bin/run.sh': '#!/bin/sh\n',
      'bin/alias': { link: 'tool' },
      README: 'read me\n',
    });
    const run = await play();
    expect(run.changed).to.deep.equal(['localhost Install']);
    expect(run.result('Install')).to.deep.include({
      version: '1.10.0',
      installed_version: null,
      sha256: sha256(content),
      architecture: HERE,
    });
    expect(version()).to.equal('1.10.0');
    expect(readFileSync(world.path('localhost/bin/alias')).subarray(64).toString()).to.equal(
      '1.10.0',
    );
    expect(statSync(tool()).mode & 0o777).to.equal(0o755);
    expect(statSync(tool()).uid).to.equal(process.getuid?.());
    expect(left()).to.deep.equal([]);
  });

  it('asks nobody and changes nothing the second time', async () => {
    await release('1.0.0');
    await play();
    server.requests.length = 0;
    expect((await play()).changed).to.deep.equal([]);
    expect(server.requests).to.deep.equal([]);
  });

  it('asks for the newest release, its sum and its file once for all hosts', async () => {
    await release('1.0.0');
    const flags = { inventory: ['a,b,c'], connection: 'local' };
    const run = await play({}, { flags });
    expect(run.changed).to.have.length(3);
    expect(['a', 'b', 'c'].map(version)).to.deep.equal(['1.0.0', '1.0.0', '1.0.0']);
    expect(server.requests.sort()).to.deep.equal([
      `${BASE}/download/v1.0.0/${asset('1.0.0')}`,
      `${BASE}/download/v1.0.0/${asset('1.0.0')}.sha256`,
      `${BASE}/latest`,
    ]);
  });

  it('keeps to the lock file until it is told to update', async () => {
    const content = await release('1.0.0');
    await play();
    expect(lock()).to.include(`version: "1.0.0"`);
    expect(lock()).to.include(`sha256: "${sha256(content)}"`);
    expect(lock()).to.include(
      `url: "https://github.com/acme/tool/releases/download/v1.0.0/${asset('1.0.0')}"`,
    );
    await release('1.1.0');
    expect((await play()).changed).to.deep.equal([]);
    await play({ update: true });
    expect(version()).to.equal('1.1.0');
    expect(lock()).to.include('version: "1.1.0"').and.not.to.include('1.0.0');
  });

  it('takes a lock file that a person has edited', async () => {
    await release('1.0.0');
    await release('1.1.0');
    world.write({
      'tsprov.lock.yaml': 'tool:\n  version: 1.0.0\n  resolved: by hand\n  files: {}\n',
    });
    await play();
    expect(version()).to.equal('1.0.0');
    world.write({ 'tsprov.lock.yaml': 'tool: {version: 1}\n' });
    expect(await refusal(play())).to.include('tsprov.lock.yaml');
  });

  it('installs a given version, with or without its v', async () => {
    await release('1.0.0');
    await release('2.0.0');
    await play({ version: 'v1.0.0' });
    expect(version()).to.equal('1.0.0');
    expect(await refusal(play({ version: 'newest' }))).to.include('"newest" is not a version');
  });

  it('replaces a newer version only when that is allowed', async () => {
    await release('1.10.0');
    await release('1.9.0');
    await play({ version: '1.10.0' });
    expect(await refusal(play({ version: '1.9.0' }))).to.include(
      'tool 1.10.0 is installed, and 1.9.0 is wanted, which is older',
    );
    await play({ version: '1.9.0', allow_downgrade: true });
    expect(version()).to.equal('1.9.0');
  });

  for (const tag of ['v2.0.0-rc.1', 'dockerfile/1.26.0', '2.0.0', 'v2.0']) {
    it(`does not take ${tag} for the newest release`, async () => {
      const location = `https://github.com/acme/tool/releases/tag/${encodeURIComponent(tag)}`;
      server.answers.set(`${BASE}/latest`, { location });
      expect(await refusal(play())).to.include('which names no version "v{version}"');
      expect(existsSync(world.path('localhost'))).to.equal(false);
    });
  }

  const FORMATS: Readonly<Record<string, (content: Buffer, name: string) => string>> = {
    'a bare sum': (content) => sha256(content),
    'the sums of several files': (content, name) =>
      sumLine(Buffer.from('x'), `other-${name}`) + sumLine(content, name),
    'a signed list': (content, name) =>
      `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${sumLine(content, name)}-----BEGIN PGP SIGNATURE-----\n\niQ\n-----END PGP SIGNATURE-----\n`,
    'sums of binary files': (content, name) => `${sha256(content)} *./${name}\n`,
  };
  for (const [format, sums] of Object.entries(FORMATS)) {
    it(`reads ${format}`, async () => {
      await release('1.0.0', undefined, { sums });
      await play();
      expect(version()).to.equal('1.0.0');
    });
  }

  it('installs nothing whose sum is wrong, and does not lock it', async () => {
    await release('1.0.0', undefined, { sums: (_, name) => sumLine(Buffer.from('y'), name) });
    expect(await refusal(play())).to.include(`and ${sha256(Buffer.from('y'))} is wanted`);
    expect(existsSync(world.path('localhost'))).to.equal(false);
    expect(existsSync(world.path('tsprov.lock.yaml'))).to.equal(false);
    expect(readdirSync(world.path('cache/releases'))).to.deep.equal([]);
  });

  it('refuses a list of sums that does not have the file', async () => {
    await release('1.0.0', undefined, {
      sums: (content) => sumLine(content, 'a') + sumLine(content, 'b'),
    });
    expect(await refusal(play())).to.include(`has no SHA-256 of ${asset('1.0.0')}`);
  });

  it('believes the sum of the task before that of the server', async () => {
    const content = await release('1.0.0', undefined, {
      sums: (_, name) => sumLine(Buffer.from('y'), name),
    });
    await play({ checksums: { [HERE]: `sha256:${sha256(content).toUpperCase()}` } });
    expect(version()).to.equal('1.0.0');
  });

  it('says what it trusts on first use, and then insists on it', async () => {
    await release('1.0.0');
    const run = await play({ checksum_asset: null });
    expect(String(run.result('Install')['warnings'])).to.include(
      'tool publishes no list of checksums',
    );
    expect(lock()).to.include('trust: "first use"');
    await release('1.0.0', { 'bin/tool': elf(HERE, 'another') });
    rmSync(world.path('cache'), { recursive: true });
    rmSync(world.path('localhost.state'), { recursive: true });
    expect(await refusal(play({ checksum_asset: null }))).to.match(
      /has the SHA-256 \w+, and \w+ is wanted/,
    );
    expect(version()).to.equal('1.0.0');
    expect((await play({ checksum_asset: null, update: true })).failures).to.deep.equal([]);
    expect(version()).to.equal('another');
  });

  it('tries again after a cut connection and after overload', async () => {
    await release('1.0.0');
    server.mishaps.set(`${BASE}/download/v1.0.0/${asset('1.0.0')}`, ['cut', 429]);
    await play();
    expect(version()).to.equal('1.0.0');
  });

  it('leaves nothing half-fetched when the connection is always cut', async () => {
    await release('1.0.0');
    server.mishaps.set(`${BASE}/download/v1.0.0/${asset('1.0.0')}`, Array(9).fill('cut'));
    expect(await refusal(play())).to.include('cannot be fetched');
    expect(readdirSync(world.path('cache/releases'))).to.deep.equal([]);
    server.mishaps.clear();
    await play();
    expect(version()).to.equal('1.0.0');
  });

  it('names the file and the cure where there is no such release', async () => {
    expect(await refusal(play({ version: '9.9.9' }))).to.match(/9\.9\.9.* HTTP status 404/);
  });

  it('refuses a page in place of an archive', async () => {
    await release('1.0.0');
    server.answers.set(`${BASE}/download/v1.0.0/${asset('1.0.0')}`, Buffer.from('<!doctype html>'));
    expect(await refusal(play({ checksum_asset: null }))).to.include(
      'cannot be read as an archive',
    );
    expect(existsSync(world.path('tsprov.lock.yaml'))).to.equal(false);
  });

  it('refuses programs for another machine', async () => {
    await release('1.0.0', { 'bin/tool': elf(ELSEWHERE), 'bin/x.sh': '#!/bin/sh\n' });
    expect(await refusal(play())).to.include(
      `tool of ${asset('1.0.0')} is not a program for ${HERE}`,
    );
    await release('1.0.1', { 'bin/tool': elf('arm') });
    expect(await refusal(play({ update: true }))).to.include('is not a program for');
    expect(existsSync(world.path('localhost'))).to.equal(false);
  });

  it('refuses an archive that lacks what it has to bring', async () => {
    await release('1.0.0');
    expect(await refusal(play({ files: ['bin/tool', 'bin/other'] }))).to.include(
      `${asset('1.0.0')} has no bin/other`,
    );
  });

  it('installs a single file under a name and with a mode', async () => {
    const unit = Buffer.from('[Unit]\n');
    server.answers.set('/raw.githubusercontent.com/acme/tool/v1.0.0/units/tool.service', unit);
    await play({
      ...{ version: '1.0.0', asset: 'units/tool.service', in_tree: true, checksum_asset: null },
      ...{ file_name: 'renamed.service', mode: '0644' },
    });
    expect(readFileSync(world.path('localhost/renamed.service'), 'utf8')).to.equal('[Unit]\n');
    expect(statSync(world.path('localhost/renamed.service')).mode & 0o777).to.equal(0o644);
    expect(left()).to.deep.equal([]);
  });

  it('drops the topmost directory of names', async () => {
    await release('1.0.0');
    await play({ strip: '1', files: ['tool'] });
    expect(existsSync(world.path('localhost/tool'))).to.equal(true);
  });

  it('mends what was removed or replaced, and takes away what an upgrade no longer has', async () => {
    await release('1.0.0', { 'bin/tool': elf(HERE, '1.0.0'), 'bin/old': 'old\n' });
    await play();
    rmSync(tool());
    expect((await play()).changed).to.have.length(1);
    writeFileSync(tool(), 'broken');
    await play();
    expect(version()).to.equal('1.0.0');
    await release('1.1.0');
    await play({ update: true });
    expect(existsSync(world.path('localhost/bin/old'))).to.equal(false);
  });

  it('removes what it installed and nothing else', async () => {
    await release('1.0.0');
    await play();
    writeFileSync(world.path('localhost/bin/mine'), '');
    expect((await play({ state: 'absent' })).changed).to.have.length(1);
    expect(readdirSync(world.path('localhost/bin'))).to.deep.equal(['mine']);
    expect((await play({ state: 'absent' })).changed).to.deep.equal([]);
  });

  it('asks a mirror for one host only', async () => {
    await release('1.0.0');
    const mirrors = { 'github.com': `${server.url}/github.com/` };
    await play({ files_repo: null, mirrors });
    expect(version()).to.equal('1.0.0');
  });

  it('says in a check run what it would download, and downloads nothing', async () => {
    await release('1.0.0');
    const run = await play({ files: ['bin/tool'] }, check);
    expect(run.changed).to.have.length(1);
    const shown = JSON.stringify(run.diffs);
    expect(shown).to.include(
      `download: https://github.com/acme/tool/releases/download/v1.0.0/${asset('1.0.0')}`,
    );
    expect(existsSync(world.path('localhost'))).to.equal(false);
    expect(existsSync(world.path('cache'))).to.equal(false);
    expect(existsSync(world.path('tsprov.lock.yaml'))).to.equal(false);
    expect(server.requests).to.deep.equal([`${BASE}/latest`]);
  });

  it('does not need the network for a check run', async () => {
    await server.close();
    const run = await play({}, check);
    expect(run.failures).to.deep.equal([]);
    expect(run.result('Install')['version']).to.equal('latest');
    const shown = JSON.stringify(run.diffs);
    expect(shown).to.include('the newest release is not known').and.to.include('v<latest>');
    expect(await refusal(play())).to.include('does not answer');
  });

  describe('without any network', () => {
    beforeEach(async () => {
      await server.close();
    });

    async function store(path: string, version: string): Promise<void> {
      const content = await tarball({ 'bin/tool': elf(HERE, version) });
      world.write({ [`files/${path}.sha256`]: sumLine(content, asset(version)) });
      writeFileSync(world.path(`files/${path}`), content);
    }
    const air = () => ({ files_repo: null, files_dir: world.path('files') });

    it('takes the newest file of a flat directory', async () => {
      await store(asset('1.9.0'), '1.9.0');
      await store(asset('1.10.0'), '1.10.0');
      await play(air());
      expect(version()).to.equal('1.10.0');
    });

    it('takes the newest release of a directory laid out as the mirror', async () => {
      await store(`github.com/acme/tool/releases/download/v1.2.0/${asset('1.2.0')}`, '1.2.0');
      await store(`github.com/acme/tool/releases/download/v1.11.0/${asset('1.11.0')}`, '1.11.0');
      await play(air());
      expect(version()).to.equal('1.11.0');
    });

    it('says where it looked for a file', async () => {
      world.write({ 'files/.keep': '' });
      expect(await refusal(play({ ...air(), version: '1.0.0' }))).to.include('has no list of sums');
      expect(await refusal(play({ ...air(), version: '1.0.0', checksum_asset: null }))).to.include(
        `has no ${asset('1.0.0')}`,
      );
      expect(await refusal(play(air()))).to.include('has no release of acme/tool');
    });

    it('installs no file whose sum is wrong', async () => {
      await store(asset('1.0.0'), '1.0.0');
      world.write({ [`files/${asset('1.0.0')}`]: 'damaged' });
      expect(await refusal(play(air()))).to.include('is wanted');
    });
  });
});
