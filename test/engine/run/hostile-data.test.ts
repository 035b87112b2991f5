import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { HOSTILE_NAMES } from '../../support/local-host.ts';
import { makeWorld, type PlayedHere, playHere, type World } from '../../support/play-here.ts';

/** Names that are special as a whole. The variable is none: Ansible expands it in paths. */
const WHOLE = ['-rf', '*', '~', 'ends in newline\n'];
const PARTS = HOSTILE_NAMES.filter((name) => !WHOLE.includes(name) && name !== '$HOME');
const NAMES = [...WHOLE, PARTS.join(' ')];

describe('data that would like to be more', () => {
  let world: World;

  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  it('names files, in every argument that is a path, and nothing else', async () => {
    world.write({ 'note.j2': 'note\n' });
    const at = (rest: string) => `${world.path('made')}/{{ item }}${rest}`;
    const tasks = [
      { name: 'directory', file: { path: at(''), state: 'directory' } },
      { name: 'copy', copy: { content: 'one\n', dest: at('/{{ item }}') } },
      { name: 'template', template: { src: 'note.j2', dest: at('/note') } },
      { name: 'line', lineinfile: { path: at('/{{ item }}'), line: 'two' } },
      { name: 'block', blockinfile: { path: at('/note'), block: 'block' } },
      { name: 'link', file: { src: at('/{{ item }}'), dest: at('/link'), state: 'link' } },
      { name: 'hard', file: { src: at('/note'), dest: at('/hard'), state: 'hard' } },
      { name: 'remote', copy: { src: at('/note'), dest: at('/remote'), remote_src: true } },
      { name: 'mode', file: { path: at('/{{ item }}'), mode: '0600' } },
      { name: 'look', stat: { path: at('/{{ item }}') } },
      { name: 'read', slurp: { src: at('/{{ item }}') } },
      { name: 'work', command: { cmd: 'cat note', chdir: at('') }, changed_when: false },
      { name: 'made', command: { cmd: 'false', creates: at('/{{ item }}') } },
      { name: 'gone', command: { cmd: 'false', removes: at('/no/{{ item }}') } },
      {
        name: 'fetch',
        fetch: { src: at('/{{ item }}'), dest: `${world.path('got')}/`, flat: true },
      },
      { name: 'temporary', tempfile: { path: at(''), prefix: '{{ item }}' }, changed_when: false },
      { name: 'wait', wait_for: { path: at('/{{ item }}'), timeout: 5 } },
      { name: 'remove', file: { path: at('/remote'), state: 'absent' } },
    ];
    const first = await play(tasks.map((task) => ({ ...task, loop: NAMES })));
    expect(first.failures).to.deep.equal([]);
    for (const name of NAMES) {
      const file = `${world.path('made')}/${name}/${name}`;
      expect(readFileSync(file, 'utf8'), JSON.stringify(name)).to.equal('one\ntwo\n');
      expect(lstatSync(file).mode & 0o777).to.equal(0o600);
    }
  });

  it('is not a template, be it from a command, a file of facts or a registered file', async () => {
    const trap = world.path('trapped');
    const text = `{{ lookup('pipe', 'touch ${trap}; id') }}`;
    world.write({ 'facts/trap.fact': JSON.stringify({ value: text }), file: text });
    const tasks = [
      { setup: { fact_path: world.path('facts'), gather_subset: ['local'] } },
      { command: { argv: ['cat', world.path('file')] }, register: 'printed' },
      { slurp: { src: world.path('file') }, register: 'read' },
      { set_fact: { kept: '{{ printed.stdout }}' } },
      { name: 'fact', debug: { msg: '{{ ansible_local.trap.value }}' } },
      { name: 'output', debug: { msg: '{{ printed.stdout }}' } },
      { name: 'read', debug: { msg: '{{ read.content | b64decode }}' } },
      { name: 'kept', debug: { msg: '{{ kept }}' } },
      { name: 'again', debug: { msg: "{{ hostvars['localhost'].kept }}" } },
      { name: 'item', debug: { msg: '{{ item }}' }, loop: ['{{ kept }}'] },
      { name: 'file', copy: { content: '{{ kept }}', dest: world.path('copied') } },
    ];
    const played = await play(tasks);
    expect(played.failures).to.deep.equal([]);
    for (const title of ['fact', 'output', 'read', 'kept', 'again'])
      expect(played.result(title)['msg'], title).to.equal(text);
    expect(readFileSync(world.path('copied'), 'utf8')).to.equal(text);
    expect(existsSync(trap)).to.equal(false);
  });

  it('may be what scripts do to their shell and their input', async () => {
    const tasks = [
      { name: 'stdin', shell: 'cat; read x; echo end' },
      { name: 'exit', shell: 'exit 3', ignore_errors: true },
      { name: 'exec', shell: 'exec echo replaced' },
      { name: 'closed', shell: 'exec >&- 2>&-; echo lost', ignore_errors: true },
      { name: 'unset', shell: 'unset PATH IFS; alias echo=false; echo fine' },
      { name: 'killed', shell: 'kill -9 $$', ignore_errors: true },
      { name: 'behind', shell: 'sleep 30 > /dev/null 2>&1 & echo started' },
      { name: 'raw', raw: 'printf "a\\377\\376b"' },
      { name: 'bytes', shell: 'printf "a\\377\\376b"' },
      { name: 'zeros', shell: 'printf "a\\000b"' },
      { name: 'after', command: 'echo after' },
    ];
    const { result, failures } = await play(tasks);
    expect(failures).to.deep.equal([]);
    const told = (title: string) => [result(title)['rc'], result(title)['stdout']];
    expect(told('stdin')).to.deep.equal([0, 'end']);
    expect(told('exit')).to.deep.equal([3, '']);
    expect(told('exec')).to.deep.equal([0, 'replaced']);
    expect(told('unset')).to.deep.equal([0, 'fine']);
    expect(told('behind')).to.deep.equal([0, 'started']);
    expect(result('bytes')['stdout']).to.match(/^a.+b$/);
    expect(told('after')).to.deep.equal([0, 'after']);
  });

  it('may be 50 MB of output', async () => {
    const size = 50_000_000;
    const tasks = [
      {
        name: 'much',
        shell: `head -c ${size} /dev/zero | tr '\\0' x`,
        register: 'much',
        no_log: true,
      },
      { name: 'size', debug: { msg: '{{ much.stdout | length }}' } },
    ];
    const { result, failures } = await play(tasks);
    expect(failures).to.deep.equal([]);
    expect(result('size')['msg']).to.equal(size);
  });

  function play(tasks: readonly object[]): Promise<PlayedHere> {
    const plays = [{ hosts: 'localhost', gather_facts: false, tasks }];
    world.write({ 'play.yaml': JSON.stringify(plays) });
    return playHere(world);
  }
});
