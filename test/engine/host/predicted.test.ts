import { expect } from 'chai';
import { PredictedState } from '../../../src/engine/host/predicted.ts';
import type { Effect, PathState, UnitState } from '../../../src/engine/module.ts';
import { UnknownState } from '../../../src/shared/errors.ts';

function at(path: string, more: Partial<PathState> = {}): Effect {
  const state: PathState = {
    ...{ path, type: 'file', mode: 0o644, uid: 0, gid: 0, owner: 'root', group: 'root' },
    ...{ size: 0, inode: 0, device: 0, links: 1, atime: 0, mtime: 0, ctime: 0 },
    ...more,
  };
  return { kind: 'path', name: path, state };
}

const gone = (path: string): Effect => ({ kind: 'path', name: path, state: undefined });
const installed = (name: string): Effect => ({ kind: 'package', name, installed: true });
const missing = (name: string): UnitState => {
  return { name, exists: false, active: 'inactive', enabled: '', properties: {} };
};

function predict(...effects: Effect[]): PredictedState {
  const predicted = new PredictedState();
  predicted.apply(effects);
  return predicted;
}

describe('the predicted state of a host', () => {
  const paths: readonly [string, Effect[], string, string | undefined | 'ask'][] = [
    ['knows a new file', [at('/a/b')], '/a/b', '/a/b'],
    ['knows it under another spelling', [at('/a/b/')], '/a//./b', '/a/b/'],
    ['asks about everything else', [at('/a/b')], '/a/c', 'ask'],
    [
      'asks about what is in a directory that was changed',
      [at('/a', { type: 'directory' })],
      '/a/b',
      'ask',
    ],
    ['hides what was below a removed directory', [gone('/a')], '/a/b/c', undefined],
    ['does not hide neighbours with the same beginning', [gone('/a')], '/ab', 'ask'],
    [
      'hides the old content of a directory made anew',
      [gone('/a'), at('/a', { type: 'directory' })],
      '/a/b',
      undefined,
    ],
    [
      'knows what was made in it afterwards',
      [gone('/a'), at('/a', { type: 'directory' }), at('/a/b')],
      '/a/b',
      '/a/b',
    ],
    ['lets the last effect count', [at('/a'), gone('/a')], '/a', undefined],
    ['has nothing below a file', [at('/a')], '/a/b', undefined],
    [
      'goes through a new link',
      [at('/l', { type: 'link', target: 'd' }), at('/d/f')],
      '/l/f',
      '/d/f',
    ],
    [
      'finds what was written through a new link where the link points',
      [at('/l', { type: 'link', target: 'd' }), at('/l/f')],
      '/d/f',
      '/l/f',
    ],
    [
      'follows a chain of links',
      [at('/l', { type: 'link', target: '/m' }), at('/m', { type: 'link', target: 'f' }), at('/f')],
      '/l',
      '/f',
    ],
    [
      'ends at a ring of links',
      [at('/l', { type: 'link', target: '/m' }), at('/m', { type: 'link', target: '/l' })],
      '/l',
      undefined,
    ],
  ];
  for (const [title, effects, path, expected] of paths) {
    it(title, () => {
      const answer = predict(...effects).path(path, true);
      const found = answer.known ? answer.state?.path : 'ask';
      expect(found).to.equal(expected);
    });
  }

  it('asks at the place where a new link leads', () => {
    const predicted = predict(at('/l', { type: 'link', target: '../srv/d' }));
    expect(predicted.path('/l/f', false)).to.include({ known: false, path: '/srv/d/f' });
  });

  it('gives a new link itself where it is not followed', () => {
    const answer = predict(at('/l', { type: 'link', target: 'x' })).path('/l', false);
    expect(answer.known && answer.state?.type).to.equal('link');
  });

  it('knows users and groups by name and number', () => {
    const user = { name: 'app', uid: 990, gid: 990, comment: '', home: '/', shell: '/bin/sh' };
    const predicted = predict(
      { kind: 'user', name: 'app', state: user },
      { kind: 'group', name: 'old', state: undefined },
    );
    expect(predicted.user('990', undefined)).to.equal(user);
    expect(predicted.group('old', { name: 'old', gid: 5, members: [] })).to.equal(undefined);
    expect(predicted.user('other', undefined)).to.equal(undefined);
  });

  describe('of a unit', () => {
    const debian = { startsOnInstall: true };
    const other = { startsOnInstall: false };

    for (const [name, unit] of [
      ['containerd', 'containerd.service'],
      ['containerd.io=1.7*', 'containerd'],
      ['cri-o', 'crio.service'],
      ['mariadb-server', 'mariadb'],
      ['nfs-kernel-server', 'nfs-server'],
      ['openssh-server', 'ssh'],
      ['postgresql-15', 'postgresql@main.service'],
      ['https://example.org/pool/kubelet_1.30_arm64.deb', 'kubelet'],
    ] as const) {
      it(`expects ${unit} of the package ${name}`, () => {
        const made = predict(installed(name)).unit(missing(unit), debian);
        expect(made).to.include({ exists: true, active: 'active', enabled: 'enabled' });
      });
    }

    it('expects it to be stopped where services are kept from being started', () => {
      const effect = { ...installed('cri-o'), startsServices: false };
      const made = predict(effect).unit(missing('crio'), debian);
      expect(made).to.include({ exists: true, active: 'inactive', enabled: 'enabled' });
    });

    it('expects it to be stopped and disabled outside the Debian family', () => {
      const made = predict(installed('nginx')).unit(missing('nginx'), other);
      expect(made).to.include({ exists: true, active: 'inactive', enabled: 'disabled' });
    });

    it('cannot know a unit that some package may ship', () => {
      const ask = () => predict(installed('docker-ce')).unit(missing('containerd'), debian);
      expect(ask).to.throw(UnknownState, 'unknown (depends on: package docker-ce)');
    });

    it('is masked no longer once a file is in the place of the link', () => {
      const link = '/etc/systemd/system/x.service';
      const masked: Effect[] = [
        at(link, { type: 'link', target: '/dev/null' }),
        { kind: 'unit', name: 'x', enabled: 'masked' },
      ];
      expect(predict(...masked).unit(missing('x'), debian).enabled).to.equal('masked');
      expect(predict(...masked, at(link)).unit(missing('x'), debian).enabled).to.equal('disabled');
    });

    it('takes no sibling of a package for a unit of it', () => {
      const ask = () => predict(installed('chain-a')).unit(missing('chain-c'), debian);
      expect(ask).to.throw(UnknownState, 'unknown (depends on: package chain-a)');
    });

    it('knows that it stays missing where nothing was installed', () => {
      expect(predict().unit(missing('x'), debian).exists).to.equal(false);
      const removed = predict(installed('x'), { kind: 'package', name: 'x', installed: false });
      expect(removed.unit(missing('x'), debian).exists).to.equal(false);
    });

    it('keeps what the package did, where only a part has changed', () => {
      const disabled: Effect = { kind: 'unit', name: 'nginx', enabled: 'disabled' };
      const unit = predict(installed('nginx'), disabled).unit(missing('nginx'), debian);
      expect(unit).to.include({ exists: true, active: 'active', enabled: 'disabled' });
    });

    it('does not expect a package to start what is masked', () => {
      const masked: Effect = { kind: 'unit', name: 'nginx', enabled: 'masked' };
      const unit = predict(masked, installed('nginx')).unit(missing('nginx'), debian);
      expect(unit).to.include({ active: 'inactive', enabled: 'masked' });
    });

    it('sees a unit file that was written', () => {
      const unit = predict(at('/etc/systemd/system/app.service')).unit(missing('app'), debian);
      expect(unit).to.include({ exists: true, active: 'inactive', enabled: 'disabled' });
    });

    it('loses the unit with its file', () => {
      const path = '/etc/systemd/system/app.service';
      const real = { ...missing('app'), exists: true, properties: { FragmentPath: path } };
      expect(predict(gone(path)).unit(real, debian).exists).to.equal(false);
    });

    it('adds up what tasks did to it', () => {
      const unit = predict(
        installed('nginx'),
        { kind: 'unit', name: 'nginx', enabled: 'disabled' },
        { kind: 'unit', name: 'nginx.service', active: 'inactive' },
      ).unit({ ...missing('nginx'), exists: true, active: 'active', enabled: 'enabled' }, debian);
      expect(unit).to.include({ exists: true, active: 'inactive', enabled: 'disabled' });
    });
  });
});
