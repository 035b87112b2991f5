/** Random tasks about files, which need no rights: names are few, so that tasks meet each other's work. */
import fc from 'fast-check';
import type { ChainTask } from './chain.ts';

const at = (name: string) => `{{ dir }}/${name}`;
const oneOf = (...names: string[]) => fc.constantFrom(...names.map(at));

const DIRECTORIES = ['d', 'd/e', 'g', 'g/h/i', 'l/e'];
const FILES = ['f', 'd/f', 'd/e/f', 'g/f', 'l/f', 'x/y/f'];
const LINKS = ['l', 'd/l', 'k'];

/** Everything that a chain may have made. */
export const CHAIN_PATHS: readonly string[] = [
  ...DIRECTORIES,
  ...FILES,
  ...LINKS,
  ...[
    'a.tgz',
    'd/a.tgz',
    'b.zip',
    'd/one',
    'd/tree',
    'd/tree/sub/deep',
    'g/top',
    'g/sub',
    'g/sub/deep',
  ],
  ...[
    'd/top',
    'd/sub',
    'd/sub/deep',
    'made',
    'd/made',
    'g/made',
    'g/h',
    'x',
    'x/y',
    'handled',
    'g/one',
    'then',
    'rescued',
  ],
].map(at);

const directory = fc.oneof(
  { arbitrary: oneOf(...DIRECTORIES), weight: 12 },
  { arbitrary: oneOf(...LINKS), weight: 2 },
  { arbitrary: oneOf(...FILES), weight: 1 },
);
const file = fc.oneof(
  { arbitrary: oneOf(...FILES), weight: 12 },
  { arbitrary: oneOf(...LINKS), weight: 2 },
  { arbitrary: oneOf('g/top', 'd/sub/deep', 'd/one', 'made', 'd/made'), weight: 3 },
  { arbitrary: oneOf(...DIRECTORIES), weight: 1 },
);
const anything = fc.oneof(directory, file, oneOf(...LINKS, 'a.tgz', 'd/sub', 'd/tree'));

export const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const mode = maybe(
  fc.constantFrom('0600', '0644', '0755', '0700', 'u+x', 'a+rX', 'u=rwX,g=rX,o=', 'g-w', '02755'),
);
const text = fc.constantFrom('one\n', 'two\nlines\n', 'no end', '', 'a=1\nb=2\n', '# x\na=1\n');

/** A task whose arguments are given one by one; those that are undefined are left out. */
export function task<T extends Record<string, unknown>>(
  module: string,
  args: { [K in keyof T]: fc.Arbitrary<T[K]> },
  more: Partial<ChainTask> = {},
): fc.Arbitrary<ChainTask> {
  return fc.record(args).map((given) => ({ module, args: defined(given), ...more }));
}

function defined(args: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}

export const is = <T>(value: T) => fc.constant(value);
export const flag = maybe(fc.boolean());

const places: fc.Arbitrary<ChainTask>[] = [
  task('file', { path: directory, state: is('directory'), mode, recurse: flag }),
  task('file', { path: directory, state: is('directory') }),
  task('file', { path: anything, state: is('absent') }),
  task('file', {
    path: anything,
    state: is('touch'),
    mode,
    modification_time: is('preserve'),
    access_time: is('preserve'),
  }),
  task('file', { path: anything, state: is('touch') }, { always: true }),
  task('file', {
    path: fc.oneof({ arbitrary: oneOf(...LINKS), weight: 6 }, { arbitrary: anything, weight: 1 }),
    src: fc.oneof(anything, fc.constantFrom('d', 'f', 'nowhere', 'e/f', '../g')),
    state: is('link'),
    force: flag,
    follow: flag,
  }),
  task('file', { path: anything, src: file, state: is('hard'), force: flag }),
  task('file', { path: anything, mode, state: is('file') }),
  task('file', { path: anything, mode }),
];

const contents: fc.Arbitrary<ChainTask>[] = [
  task('copy', { dest: anything, content: text, mode, force: flag, backup: is(undefined) }),
  task('copy', { dest: file, content: text, mode }),
  task('copy', {
    dest: fc.oneof(
      anything,
      directory.map((each) => `${each}/`),
    ),
    src: fc.constantFrom('one', 'tree', 'tree/'),
    mode,
    directory_mode: maybe(is('0750')),
    follow: flag,
  }),
  task('copy', {
    dest: oneOf('a.tgz', 'd/a.tgz', 'b.zip'),
    src: fc.constantFrom('a.tgz', 'b.zip'),
  }),
  task('copy', {
    dest: fc.oneof(
      anything,
      directory.map((each) => `${each}/`),
    ),
    src: fc.oneof(
      anything,
      directory.map((each) => `${each}/`),
    ),
    remote_src: is(true),
    mode: fc.oneof(mode, is('preserve')),
    force: flag,
  }),
  task('template', { dest: file, src: fc.constantFrom('t.j2', 'u.j2'), mode, force: flag }),
  task('lineinfile', {
    path: file,
    line: fc.constantFrom('a=1', 'a=2', 'new'),
    regexp: maybe(fc.constantFrom('^a=', '^#', 'nothing')),
    insertafter: maybe(fc.constantFrom('EOF', '^a')),
    create: flag,
    mode,
  }),
  task('lineinfile', { path: file, regexp: fc.constantFrom('^a=', 'o'), state: is('absent') }),
  task('blockinfile', {
    path: file,
    block: fc.constantFrom('one\ntwo', 'three', ''),
    create: flag,
    state: maybe(fc.constantFrom('present', 'absent')),
    insertbefore: maybe(is('BOF')),
    mode,
  }),
];

const brought: fc.Arbitrary<ChainTask>[] = [
  task('unarchive', {
    src: fc.constantFrom('a.tgz', 'b.zip', 'deep.tgz'),
    dest: directory,
    mode: maybe(is('0700')),
    creates: maybe(file),
  }),
  task('unarchive', {
    src: oneOf('a.tgz', 'd/a.tgz', 'b.zip'),
    dest: directory,
    remote_src: is(true),
    creates: maybe(file),
  }),
  task('get_url', {
    url: fc.constantFrom('{{ server }}/one', '{{ server }}/a.tgz', '{{ server }}/missing'),
    dest: fc.oneof(file, directory, oneOf('a.tgz', 'd/a.tgz')),
    mode,
    force: flag,
  }),
];

/** A command that makes what its `creates` says, or takes away what its `removes` says. */
const commands: fc.Arbitrary<ChainTask>[] = [
  oneOf('made', 'd/made', 'g/made', 'f').map((path) => ({
    module: 'command',
    args: { argv: ['touch', path], creates: path },
  })),
  oneOf('d/e', 'g', 'x/y').map((path) => ({
    module: 'command',
    args: { argv: ['mkdir', '-p', path], creates: path },
  })),
  anything.map((path) => ({
    module: 'command',
    args: { argv: ['rm', '-rf', path], removes: path },
  })),
  directory.map((chdir) => ({
    module: 'command',
    args: { cmd: 'touch made', chdir, creates: 'made' },
  })),
  anything.map((path) => ({
    module: 'shell',
    args: { cmd: `mkdir -p ${path} || touch ${path}` },
    always: true,
    opaque: true,
  })),
];

const conditions: fc.Arbitrary<ChainTask>[] = [
  anything.map((path) => ({
    module: 'stat',
    args: { path, get_mime: false },
    keywords: { register: 'seen' },
  })),
  fc
    .tuple(file, fc.constantFrom('seen.stat.exists', 'not seen.stat.exists'))
    .map(([dest, when]) => ({
      module: 'copy',
      args: { dest, content: 'seen {{ seen.stat.exists }}\n' },
      keywords: { when: `seen is defined and ${when}` },
    })),
  file.map((src) => ({ module: 'slurp', args: { src }, keywords: { register: 'read' } })),
  file.map((dest) => ({
    module: 'copy',
    args: { dest, content: '{{ read.content | b64decode }}' },
    keywords: { when: 'read.content is defined' },
  })),
  file.map((dest) => ({
    module: 'copy',
    args: { dest, content: '{{ said.stdout }}' },
    keywords: { when: 'said is defined' },
    opaque: true,
  })),
  is({
    module: 'command',
    args: { cmd: 'echo said' },
    keywords: { register: 'said' },
    always: true,
  }),
];

const loops: fc.Arbitrary<ChainTask>[] = [
  fc.tuple(fc.array(directory, { minLength: 2, maxLength: 3 }), mode).map(([loop, each]) => ({
    module: 'file',
    args: { path: '{{ item }}', state: 'directory', ...defined({ mode: each }) },
    keywords: { loop },
  })),
  fc.array(file, { minLength: 2, maxLength: 3 }).map((loop) => ({
    module: 'lineinfile',
    args: { path: '{{ item }}', line: 'looped', create: true },
    keywords: { loop },
  })),
];

/** What other ways there are to say how a file is changed. */
const ways: fc.Arbitrary<ChainTask>[] = [
  task('lineinfile', {
    path: file,
    regexp: fc.constantFrom('^a=(.)$', '^(n)o', '(.)$'),
    line: fc.constantFrom('a=\\1\\1', '\\1'),
    backrefs: is(true),
    firstmatch: flag,
    create: flag,
  }),
  task('lineinfile', {
    path: file,
    search_string: fc.constantFrom('a=', 'end', 'three'),
    line: fc.constantFrom('a=9', 'found'),
    insertbefore: maybe(fc.constantFrom('BOF', '^b', 'lines')),
    firstmatch: flag,
  }),
  task('blockinfile', {
    path: file,
    block: fc.constantFrom('four\nfive', ''),
    marker: fc.constantFrom('; {mark} own', '# {mark} ANSIBLE MANAGED BLOCK'),
    insertafter: maybe(fc.constantFrom('EOF', '^a', 'nothing')),
    prepend_newline: flag,
    append_newline: flag,
  }),
  task('copy', {
    dest: file,
    content: text,
    validate: fc.constantFrom('test -s %s', 'grep -q a %s'),
    mode,
  }),
  task('template', { dest: file, src: is('t.j2'), validate: is('test -s %s'), force: flag }),
];

/** Tasks that take up what others have registered. */
const registered: fc.Arbitrary<ChainTask>[] = [
  fc.array(directory, { minLength: 2, maxLength: 3 }).map((loop) => ({
    module: 'file',
    args: { path: '{{ item }}', state: 'directory' },
    keywords: { loop, register: 'places' },
  })),
  fc.constantFrom('item is changed', 'item is not failed', 'not item.changed').map((when) => ({
    module: 'copy',
    args: { dest: '{{ item.item }}/f', content: 'looped\n' },
    keywords: {
      loop: '{{ places.results | default([]) }}',
      loop_control: { label: '{{ item.item }}' },
      when,
    },
  })),
  is({
    module: 'set_fact',
    args: { is_seen: '{{ seen.stat.exists }}' },
    keywords: { when: 'seen is defined' },
  }),
  file.map((dest) => ({
    module: 'copy',
    args: { dest, content: 'seen\n' },
    keywords: { when: 'is_seen | default(false)' },
  })),
  fc
    .constantFrom('seen.stat.exists', 'last is not failed', 'places is changed', 'read is defined')
    .map((that) => ({ module: 'assert', args: { that: [that] } })),
  file.map((path) => ({
    module: 'command',
    args: { cmd: `rm ${path}`, removes: path },
    keywords: { changed_when: false },
  })),
];

/** Any task about files. */
export const fileTask: fc.Arbitrary<ChainTask> = fc.oneof(
  { arbitrary: fc.oneof(...places), weight: 8 },
  { arbitrary: fc.oneof(...contents), weight: 9 },
  { arbitrary: fc.oneof(...brought), weight: 3 },
  { arbitrary: fc.oneof(...commands), weight: 3 },
  { arbitrary: fc.oneof(...conditions), weight: 3 },
  { arbitrary: fc.oneof(...loops), weight: 2 },
  { arbitrary: fc.oneof(...ways), weight: 3 },
  { arbitrary: fc.oneof(...registered), weight: 3 },
);
