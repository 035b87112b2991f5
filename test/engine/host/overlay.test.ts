import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PredictedState } from '../../../src/engine/host/predicted.ts';
import type { HostWriter } from '../../../src/engine/host/writer.ts';
import type { Effect, PathState } from '../../../src/engine/module.ts';
import { UnknownState } from '../../../src/shared/errors.ts';
import { type LocalHost, openLocalHost } from '../../support/local-host.ts';

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

describe('reading a host in a check run', () => {
  let host: LocalHost;
  let reader: HostWriter;
  let predicted: PredictedState;
  const at = (name: string) => join(host.directory, name);

  beforeEach(async () => {
    host = await openLocalHost();
    predicted = new PredictedState();
    reader = await host.writer({ predicted });
  });
  afterEach(() => host.close());

  function predict(path: string, more: Partial<PathState>): void {
    const state: PathState = {
      ...{ path, type: 'file', mode: 0o644, uid: 0, gid: 0, owner: 'root', group: 'root' },
      ...{ size: 0, inode: 0, device: 0, links: 1, atime: 0, mtime: 0, ctime: 0 },
      ...more,
    };
    predicted.apply([{ kind: 'path', name: path, state }]);
  }

  it('gives content and digest of a file that would have been written', async () => {
    writeFileSync(at('f'), 'old');
    predict(at('f'), { content: Buffer.from('new'), size: 3 });
    const state = await reader.path(at('f'), { checksum: 'sha1', content: true });
    expect(state).to.include({ checksum: sha1('new'), size: 3 });
    expect(state?.content?.toString()).to.equal('new');
  });

  it('gives the content that is there for a file whose mode would have changed', async () => {
    writeFileSync(at('f'), 'kept');
    const real = await reader.path(at('f'));
    predicted.apply([
      { kind: 'path', name: at('f'), state: { ...real, mode: 0o600 } as PathState },
    ]);
    const state = await reader.path(at('f'), { checksum: 'sha1', content: true });
    expect(state).to.include({ mode: 0o600, checksum: sha1('kept') });
    expect(state?.content?.toString()).to.equal('kept');
  });

  it('gives the digest of a large file that would have been written, but not its content', async () => {
    predict(at('f'), { checksum: sha1('large'), size: 5 });
    expect(await reader.path(at('f'), { checksum: 'sha1' })).to.include({
      checksum: sha1('large'),
    });
    const asked = await reader.path(at('f'), { content: true }).catch((error: unknown) => error);
    expect(asked).to.be.instanceOf(UnknownState);
  });

  it('looks through a link that would have been made', async () => {
    writeFileSync(at('real'), 'x', { mode: 0o604 });
    chmodSync(at('real'), 0o604);
    predict(at('link'), { type: 'link', target: 'real' });
    const state = await reader.path(at('link'), { follow: true, content: true });
    expect(state).to.include({ path: at('link'), realPath: at('real'), mode: 0o604 });
  });

  it('finds nothing in a tree that would have been removed', async () => {
    mkdirSync(at('d'));
    writeFileSync(at('d/f'), '');
    predicted.apply([{ kind: 'path', name: at('d'), state: undefined } satisfies Effect]);
    expect(await reader.path(at('d/f'))).to.equal(undefined);
  });

  describe('with links that are there already', () => {
    beforeEach(() => {
      mkdirSync(at('real'));
      symlinkSync('real', at('link'));
      writeFileSync(at('real/f'), 'old');
      symlinkSync('real/f', at('short'));
      symlinkSync('new/f', at('dangling'));
    });

    for (const [written, read] of [
      ['link/new', 'real/new'],
      ['real/new', 'link/new'],
      ['real/f', 'link/f'],
      ['link/f', 'real/f'],
      ['real/f', 'short'],
      ['link/f', 'short'],
      ['real/sub/deep', 'link/sub/deep'],
      ['new/f', 'dangling'],
    ] as const) {
      it(`finds at ${read} what would have been written at ${written}`, async () => {
        await reader.path(at(written));
        predict(at(written), { content: Buffer.from('new'), size: 3 });
        const state = await reader.path(at(read), { content: true, follow: true });
        expect(state?.content?.toString()).to.equal('new');
      });
    }

    it('says what a followed link leads to, but not that a directory above is one', async () => {
      predict(at('real/f'), {});
      expect(await reader.path(at('short'), { follow: true })).to.include({
        realPath: at('real/f'),
      });
      expect(await reader.path(at('link/f'), { follow: true })).not.to.have.property('realPath');
      expect(await reader.path(at('short'))).to.include({ type: 'link', target: 'real/f' });
    });

    it('sees a link that would have been replaced by a directory no longer as a link', async () => {
      await reader.path(at('link'));
      predicted.apply([{ kind: 'path', name: at('link'), state: undefined } satisfies Effect]);
      predict(at('link'), { type: 'directory', mode: 0o755 });
      expect(await reader.path(at('link/f'))).to.equal(undefined);
      expect(await reader.path(at('real/f'))).to.include({ type: 'file' });
    });

    it('names what is foreseen in a directory as the directory is called', async () => {
      await reader.path(at('real/new'));
      predict(at('real/new'), {});
      await reader.path(at('link/x'));
      expect(reader.predictedBelow(at('link')).map(({ name }) => name)).to.deep.equal([
        at('link/new'),
      ]);
    });

    it('finds nothing at the end of a ring', async () => {
      symlinkSync('b', at('a'));
      symlinkSync('a', at('b'));
      expect(await reader.path(at('a'), { follow: true })).to.equal(undefined);
    });
  });

  it('says where a real link leads', async () => {
    writeFileSync(at('a\n'), '');
    symlinkSync('a\n', at('b'));
    symlinkSync('b', at('c'));
    expect(await reader.path(at('c'), { follow: true })).to.include({ realPath: at('a\n') });
  });

  it('cannot know what a package would bring into a directory of its name', async () => {
    for (const name of ['tsprov-none.io', 'profile.d']) {
      predicted.apply([{ kind: 'package', name, installed: true }]);
    }
    const path = '/etc/tsprov-none/config.toml';
    const asked = await reader.path(path).catch((error: unknown) => error);
    expect(String(asked)).to.include('unknown (depends on: package tsprov-none.io)');
    expect(await reader.path('/etc/tsprov-other/config.toml')).to.equal(undefined);
    expect(await reader.path('/etc/profile.d/tsprov-none')).to.equal(undefined);
    expect(await reader.path(at('tsprov-none/config.toml'))).to.equal(undefined);
  });

  it('cannot know the file of a package among those of all packages', async () => {
    predicted.apply([{ kind: 'package', name: 'tsprov-none', installed: true }]);
    const asked = await reader.path('/etc/default/tsprov-none').catch((error: unknown) => error);
    expect(asked).to.be.instanceOf(UnknownState);
    expect(await reader.path('/etc/default/tsprov-nothing')).to.equal(undefined);
    expect(await reader.path('/etc/systemd/system/tsprov-none')).to.equal(undefined);
  });

  it('knows users that would have been added', async () => {
    const state = { name: 'ada', uid: 4711, gid: 1, comment: '', home: '/', shell: '/bin/sh' };
    predicted.apply([{ kind: 'user', name: 'ada', state }]);
    expect(await reader.user('ada')).to.deep.equal(state);
    expect(await reader.user('root')).to.include({ uid: 0 });
  });
});
