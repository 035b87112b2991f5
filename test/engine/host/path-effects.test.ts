import { expect } from 'chai';
import { type PathEffect, PathEffects } from '../../../src/engine/host/path-effects.ts';
import type { PathState } from '../../../src/engine/module.ts';

const made = (name: string, type: PathState['type'], because = type): PathEffect => {
  const owned = { mode: 0o644, uid: 0, gid: 0, owner: 'root', group: 'root' };
  const measured = { size: 0, inode: 0, device: 0, links: 1, atime: 0, mtime: 0, ctime: 0 };
  return { kind: 'path', name, state: { path: because, type, ...owned, ...measured } };
};
const gone = (name: string): PathEffect => ({ kind: 'path', name, state: undefined });
const unknown = (name: string): PathEffect => ({ kind: 'unknown-path', name, because: 'x' });

const all = (...effects: readonly PathEffect[]) => {
  const known = new PathEffects();
  for (const effect of effects) known.add(effect);
  return known;
};

describe('the effects on a path', () => {
  const root = made('/', 'directory');
  const directory = made('/a', 'directory');
  const file = made('/a/b/', 'file');
  for (const [title, effects, path, expected] of [
    [
      'are those on it and above it, the newest first',
      [directory, file, root],
      '/a/b',
      [root, file, directory],
    ],
    [
      'are not those on its neighbours',
      [made('/ab', 'file'), file, made('/a/b/c', 'file')],
      '/a/b',
      [file],
    ],
    [
      'are not those that a file or a removal has overtaken',
      [unknown('/a'), directory, gone('/a')],
      '/a/c',
      [gone('/a')],
    ],
    [
      'keep what a directory does not tell',
      [gone('/a'), directory],
      '/a/c',
      [directory, gone('/a')],
    ],
    [
      'keep one of several directories',
      [directory, made('/a', 'directory', 'link')],
      '/a',
      [made('/a', 'directory', 'link')],
    ],
    ['are found by relative names', [made('a/b', 'file')], 'a/b/c', [made('a/b', 'file')]],
  ] satisfies [string, PathEffect[], string, PathEffect[]][]) {
    it(title, () => {
      expect(all(...effects).on(path)).to.deep.equal(expected);
    });
  }

  it('are kept in order beside', () => {
    expect([...all(directory, gone('/a'))]).to.deep.equal([directory, gone('/a')]);
  });
});
