/** Random tasks about users, groups, packages, units and settings, for a machine of their own. */
import fc from 'fast-check';
import type { ChainTask } from './chain.ts';
import { flag, is, maybe, task } from './file-tasks.ts';

/** Paths that such tasks may have made. */
export const HOST_PATHS: readonly string[] = [
  ...['/home/ann', '/home/bob', '/home/ann/.ssh', '/home/ann/.ssh/id_ed25519', '/srv/ann'],
  ...['/home/ann/f', '/home/ann/.ssh/config', '/home/bob/f', '/home/ann/.profile', '/srv/shared'],
  ...['/etc/chain-a', '/etc/chain-a/conf', '/etc/chain-a/more', '/etc/sysctl.d/chain.conf'],
  ...['/etc/systemd/system/chain-c.service', '/home/ann/d'],
  ...['/home/ann/.bashrc', '/home/ann/own', '/home/bob/own', '/home/ann/own/top', '/home/ann/link'],
];

const name = fc.constantFrom('ann', 'bob');
const owned = fc.constantFrom(
  '/home/ann/f',
  '/home/ann/.ssh/config',
  '/home/bob/f',
  '~ann/f',
  '/srv/shared',
);
const unit = fc.constantFrom('chain-a', 'chain-c', 'chain-c.service');

const accounts: fc.Arbitrary<ChainTask>[] = [
  task('user', { name }),
  task('user', {
    name,
    uid: maybe(fc.constantFrom(2001, 2002)),
    group: maybe(fc.constantFrom('ops', 'users')),
    groups: maybe(fc.constantFrom('ops', 'adm', 'adm,ops', '')),
    append: flag,
    comment: maybe(is('A Name')),
    shell: maybe(fc.constantFrom('/bin/bash', '/usr/sbin/nologin')),
    create_home: flag,
    password_lock: flag,
  }),
  task('user', { name, home: maybe(is('/srv/ann')), move_home: flag }),
  task('user', { name, generate_ssh_key: is(true), ssh_key_type: is('ed25519') }),
  task('user', { name, state: is('absent'), remove: flag, force: flag }),
  task('group', { name: fc.constantFrom('ops', 'ann'), gid: maybe(is(3001)) }),
  task('group', { name: fc.constantFrom('ops', 'ann'), state: is('absent') }),
];

const homes: fc.Arbitrary<ChainTask>[] = [
  task('copy', {
    dest: owned,
    content: fc.constantFrom('one\n', 'two\n'),
    owner: maybe(name),
    group: maybe(fc.constantFrom('ops', 'ann')),
    mode: maybe(is('0640')),
  }),
  task('file', {
    path: fc.constantFrom('/home/ann/d', '/home/ann/.ssh', '/srv/shared', '/home/ann'),
    state: is('directory'),
    owner: maybe(name),
    mode: maybe(fc.constantFrom('0700', '02775')),
    recurse: flag,
  }),
  task('file', { path: owned, owner: name, state: is('file') }),
  task('lineinfile', { path: is('/home/ann/.profile'), line: is('umask 077'), create: flag }),
  fc.tuple(name, fc.constantFrom('/home/ann/f', '~/f', '/srv/shared/f')).map(([user, dest]) => ({
    module: 'copy',
    args: { dest, content: 'mine\n' },
    keywords: { become: true, become_user: user },
  })),
  name.map((user) => ({
    module: 'command',
    args: { cmd: 'touch made', chdir: `/home/${user}`, creates: 'made' },
    keywords: { become: true, become_user: user },
  })),
];

const services: fc.Arbitrary<ChainTask>[] = [
  task('apt', {
    name: fc.constantFrom('chain-a', 'chain-b', ['chain-a', 'chain-b']),
    state: maybe(fc.constantFrom('present', 'absent', 'latest')),
    purge: flag,
  }),
  task('copy', {
    dest: is('/etc/systemd/system/chain-c.service'),
    content: fc
      .constantFrom(1, 2)
      .map(
        (n) =>
          `[Unit]\nDescription=chain ${n}\n[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n`,
      ),
  }),
  task('file', { path: is('/etc/systemd/system/chain-c.service'), state: is('absent') }),
  task('systemd_service', {
    name: unit,
    state: maybe(fc.constantFrom('started', 'stopped')),
    enabled: flag,
    daemon_reload: is(true),
  }),
  task('systemd_service', { name: unit, masked: fc.boolean(), daemon_reload: is(true) }),
  task('service', { name: unit, state: is('restarted') }, { always: true }),
  task('service', { name: unit, state: fc.constantFrom('started', 'stopped'), enabled: flag }),
  task('lineinfile', { path: is('/etc/chain-a/conf'), line: is('b=2'), create: flag }),
  task('copy', { dest: is('/etc/chain-a/more'), content: is('more\n') }),
  task('sysctl', {
    name: fc.constantFrom('net.ipv4.ip_forward', 'net.ipv4.conf.all.forwarding'),
    value: fc.constantFrom('0', '1'),
    sysctl_file: is('/etc/sysctl.d/chain.conf'),
    sysctl_set: flag,
    state: maybe(fc.constantFrom('present', 'absent')),
  }),
];

const asUser = (by: fc.Arbitrary<ChainTask>) =>
  fc.tuple(by, name).map(([done, user]) => ({
    ...done,
    keywords: { ...done.keywords, become: true, become_user: user },
  }));

/** What users do that earlier tasks may have made. */
const theirs: fc.Arbitrary<ChainTask>[] = [
  task('file', {
    path: fc.constantFrom('~/own', '/home/ann/own', '/home/bob/own'),
    state: is('directory'),
    mode: maybe(is('0700')),
  }),
  task('file', { src: is('own'), path: is('~/link'), state: is('link'), force: is(true) }),
  task('lineinfile', {
    path: fc.constantFrom('~/.bashrc', '/home/ann/f'),
    line: is('alias l=ls'),
    create: flag,
  }),
  task('template', { src: is('t.j2'), dest: fc.constantFrom('~/f', '/home/ann/own/f') }),
  task('unarchive', { src: is('a.tgz'), dest: fc.constantFrom('~/own', '/home/ann/own') }),
  task('file', { path: fc.constantFrom('~/own', '/home/ann/f'), state: is('absent') }),
].map(asUser);

const several: fc.Arbitrary<ChainTask>[] = [
  task('group', { name: is('{{ item }}') }).map((each) => ({
    ...each,
    keywords: { loop: ['ops', 'ann'] },
  })),
  fc.constantFrom('present', 'absent').map((state) => ({
    module: 'user',
    args: { name: '{{ item }}', state },
    keywords: { loop: ['ann', 'bob'] },
  })),
  task('package', { name: fc.constantFrom('chain-a', 'chain-b'), state: maybe(is('absent')) }),
  task('user', { name, password: is('*'), update_password: maybe(is('on_create')) }),
  task('user', { name, expires: fc.constantFrom(1893456000, -1) }),
];

/** Any task about a host. */
/** Any task about a host. */
export const hostTask: fc.Arbitrary<ChainTask> = fc.oneof(
  fc.oneof(...accounts),
  fc.oneof(...homes),
  fc.oneof(...services),
  fc.oneof(...theirs),
  fc.oneof(...several),
);
