import { expect } from 'chai';
import { TrustedTemplate, type Value } from '../../src/engine/values.ts';
import { registry } from '../../src/modules/registry.ts';

const NOTHING_IS_READ_PAST: readonly [string, Record<string, Value>, boolean][] = [
  ['command', { cmd: 'id' }, true],
  ['shell', { cmd: 'id', creates: '/x' }, false],
  ['raw', { cmd: 'id' }, true],
  ['systemd_service', { name: 'a', state: 'restarted' }, true],
  ['systemd_service', { name: 'a', state: 'reloaded' }, true],
  ['systemd_service', { name: 'a', state: 'started' }, false],
  ['systemd_service', { 'daemon-reload': true }, true],
  ['service', { name: 'a', state: 'restarted' }, true],
  ['service', { name: 'a', state: new TrustedTemplate('{{ x }}') }, false],
  ['file', { path: '/a', state: 'touch' }, true],
  ['file', { path: '/a', state: 'touch', modification_time: 'preserve' }, true],
  [
    'file',
    { path: '/a', state: 'touch', modification_time: 'preserve', access_time: 'preserve' },
    false,
  ],
  ['file', { path: '/a', state: 'directory' }, false],
  ['file', { path: '/a', state: 'file', access_time: 'now' }, true],
  ['apt', { update_cache: true }, true],
  ['apt', { 'update-cache': true, cache_valid_time: 3600 }, false],
  ['apt', { clean: true }, true],
  ['apt', { name: 'a' }, false],
];

describe('a task that acts whatever the state of the host', () => {
  for (const [name, args, acts] of NOTHING_IS_READ_PAST) {
    it(`${acts ? 'is' : 'is not'} ${name} with ${[...Object.entries(args)].join(' ')}`, async () => {
      const module = await registry[name]?.();
      if (module === undefined || 'run' in module) throw new TypeError(`${name} has no state`);
      expect(module.alwaysActs?.(new Map(Object.entries(args))) ?? false).to.equal(acts);
    });
  }
});
