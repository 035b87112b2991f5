import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { makeWorld, playHere, type World } from '../support/play-here.ts';
import { HERE } from '../support/releases/go-build.ts';
import {
  type ReleaseServer,
  startReleaseServer,
  sumLine,
} from '../support/releases/release-server.ts';
import { elf, tarball } from '../support/releases/tarball.ts';

const ASSET = 'tool-v1.0.0-here.tar.gz';

describe('release_archive of an upstream that is not at GitHub', () => {
  let server: ReleaseServer;
  let world: World;

  beforeEach(async () => {
    server = await startReleaseServer();
    world = makeWorld();
    const content = await tarball({
      'tool-v1.0.0/bin/tool': elf(HERE, '1.0.0'),
      'tool-v1.0.0/lib/manager/index.js': 'manager\n',
    });
    server.answers.set(`/example.org/dist/v1.0.0/${ASSET}`, content);
    const sums = sumLine(Buffer.from('x'), 'other.tar.gz') + sumLine(content, ASSET);
    server.answers.set('/example.org/dist/v1.0.0/SUMS.txt', Buffer.from(sums));
  });
  afterEach(async () => {
    await server.close();
    world.remove();
  });

  function play(more: Record<string, unknown> = {}, options: Parameters<typeof playHere>[1] = {}) {
    const args = {
      ...{ name: 'tool', repository: 'acme/tool', upstream: 'https://example.org/dist/{tag}' },
      ...{ version: '1.0.0', asset: 'tool-{tag}-{arch}.tar.gz', checksum_asset: 'SUMS.txt' },
      ...{ architecture_names: { [HERE]: 'here' }, dest: world.path('installed'), strip: '1' },
      ...{ files: ['bin/tool'], files_repo: server.url, lock_file: world.path('lock.yaml') },
      ...{ state_dir: world.path('state'), cache_dir: world.path('cache'), ...more },
    };
    const tasks = [{ name: 'Install', release_archive: args, register: 'r' }];
    world.write({ 'play.yaml': JSON.stringify([{ hosts: 'all', gather_facts: false, tasks }]) });
    return playHere(world, options);
  }

  it('asks there, by the name that it has for the architecture, and once', async () => {
    const run = await play();
    expect(run.failures).to.deep.equal([]);
    expect(run.result('Install')['url']).to.equal(`https://example.org/dist/v1.0.0/${ASSET}`);
    expect(readFileSync(world.path('lock.yaml'), 'utf8')).to.include('trust: "published"');
    server.requests.length = 0;
    expect((await play()).changed).to.deep.equal([]);
    expect(server.requests).to.deep.equal([]);
  });

  it('installs nothing but the files that are named, where only they are wanted', async () => {
    await play({ only_files: true });
    expect(readdirSync(world.path('installed'))).to.deep.equal(['bin']);
    expect(readFileSync(world.path('installed/bin/tool')).subarray(64).toString()).to.equal(
      '1.0.0',
    );
    expect((await play({ only_files: true })).changed).to.deep.equal([]);
  });

  it('installs all of it otherwise', async () => {
    await play();
    expect(existsSync(world.path('installed/lib/manager/index.js'))).to.equal(true);
  });

  it('says that a version has to be given', async () => {
    const { failures } = await play({ version: 'latest' });
    expect(failures.join()).to.include(
      'https://example.org/dist/{tag} does not tell the newest release (give a version',
    );
  });
});
