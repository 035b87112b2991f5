import { expect } from 'chai';
import { stringify } from 'yaml';
import { type CountingProxy, startCountingProxy } from '../../support/counting-proxy.ts';
import { makeWorld, type PlayedHere, playHere, type World } from '../../support/play-here.ts';
import { needSshd, type Sshd, startSshd } from '../../support/sshd.ts';
import { writeSshdInventory } from '../../support/sshd-inventory.ts';

/** What a converged play may cost after the connection is up, whatever its length. */
const MOST_ROUND_TRIPS = 12;

type Task = Readonly<Record<string, unknown>>;

describe(`round trips of plays over ssh`, () => {
  let sshd: Sshd;
  let proxy: CountingProxy;
  let world: World;

  before(async function () {
    needSshd(this);
    sshd = await startSshd();
    proxy = await startCountingProxy({ host: '127.0.0.1', port: sshd.port });
  });
  after(async () => {
    await proxy?.close();
    await sshd?.stop();
  });
  beforeEach(() => {
    world = makeWorld({ 'motd.j2': 'Host {{ inventory_hostname }}\n' });
  });
  afterEach(() => world.remove());

  it(`are at most ${MOST_ROUND_TRIPS} for converged tasks that read the host, be they 30 or 120`, async () => {
    await play(states(120, world.path('node')));
    const ofConnection = (await play([{ raw: 'true' }])).wire - 1;
    for (const count of [30, 120]) {
      const second = await play(states(count, world.path('node')));
      expect(second.changed).to.deep.equal([]);
      expect(second.frames, `frames of ${count}`).to.be.at.most(MOST_ROUND_TRIPS);
      expect(second.wire - ofConnection, `${count} on the wire`).to.be.at.most(MOST_ROUND_TRIPS);
    }
  });

  it('do not grow with loops, set_fact, conditions and handlers that nobody notifies', async () => {
    const dir = world.path('node');
    const tasks: Task[] = [
      { set_fact: { dir } },
      { file: { path: '{{ dir }}', state: 'directory' } },
      {
        copy: { dest: '{{ dir }}/{{ item }}', content: 'x' },
        loop: 'abcdefgh'.split(''),
        notify: 'tell',
      },
      { stat: { path: '{{ dir }}/a' }, register: 'a' },
      { set_fact: { wanted: '{{ a.stat.exists }}' } },
      { copy: { dest: '{{ dir }}/i', content: 'i\n' }, when: 'wanted' },
      { debug: { msg: '{{ wanted }}' } },
      { block: [{ lineinfile: { path: '{{ dir }}/i', line: 'i' } }], when: 'a.stat.exists' },
    ];
    await play(tasks);
    const second = await play(tasks);
    expect(second.changed).to.deep.equal([]);
    expect(second.frames).to.be.at.most(MOST_ROUND_TRIPS);
  });

  it('are not saved on what a command has changed: later tasks with fixed arguments see it', async () => {
    const [file, copied] = [world.path('file'), world.path('copied')];
    const tasks: Task[] = [
      { name: 'before', stat: { path: file } },
      { command: `cp /dev/null ${file}` },
      { name: 'after', stat: { path: file } },
      { name: 'line', lineinfile: { path: file, line: 'one' } },
      { name: 'empty', copy: { dest: copied, content: '' } },
      { shell: `echo one > ${copied}; echo one > ${file}` },
      { name: 'same line', lineinfile: { path: file, line: 'one' } },
      { name: 'other content', copy: { dest: copied, content: '' } },
      { name: 'same content', copy: { dest: copied, content: '' } },
    ];
    const { result } = await play(tasks);
    const exists = (title: string) => (result(title)['stat'] as { exists: boolean }).exists; // As stat gives it.
    expect([exists('before'), exists('after')]).to.deep.equal([false, true]);
    const titles = ['line', 'empty', 'same line', 'other content', 'same content'];
    expect(titles.map((title) => result(title)['changed'])).to.deep.equal([
      true,
      true,
      false,
      true,
      false,
    ]);
  });

  it('are not saved on what a file task has changed', async () => {
    const dir = world.path('node');
    const tasks: Task[] = [
      { file: { path: dir, state: 'directory' } },
      { copy: { dest: `${dir}/a`, content: 'a\n' } },
      { lineinfile: { path: `${dir}/a`, line: 'b' } },
      { name: 'look', slurp: { src: `${dir}/a` } },
      { file: { path: `${dir}/a`, state: 'absent' } },
      { name: 'look again', stat: { path: `${dir}/a` } },
    ];
    const { result, failures } = await play(tasks);
    expect(failures).to.deep.equal([]);
    expect(Buffer.from(String(result('look')['content']), 'base64').toString()).to.equal('a\nb\n');
    expect(result('look again')['stat']).to.deep.equal({ exists: false });
  });

  it('are not saved on what an earlier item, a handler or a rescue has changed', async () => {
    const file = world.path('file');
    const tasks: Task[] = [
      {
        name: 'items',
        lineinfile: { path: file, line: '{{ item }}', create: true },
        loop: ['a', 'a', 'b'],
        notify: 'empty',
      },
      { meta: 'flush_handlers' },
      { name: 'size', stat: { path: file } },
      {
        block: [{ command: `rm ${file}` }, { fail: { msg: 'on purpose' } }],
        rescue: [{ name: 'in rescue', stat: { path: file } }],
      },
    ];
    const handlers = [{ name: 'empty', copy: { dest: file, content: '' } }];
    const { result, changed } = await play(tasks, handlers);
    expect(changed.slice(0, 3)).to.deep.equal(['node items (a)', 'node items (b)', 'node empty']);
    expect(result('size')['stat']).to.include({ size: 0 });
    expect(result('in rescue')['stat']).to.deep.equal({ exists: false });
  });

  async function play(
    tasks: readonly Task[],
    handlers: readonly Task[] = [],
  ): Promise<PlayedHere & { wire: number }> {
    world.write({
      'play.yaml': stringify([
        {
          hosts: 'all',
          gather_facts: false,
          tasks,
          handlers: [...handlers, { name: 'tell', debug: {} }],
        },
      ]),
    });
    const inventory = writeSshdInventory(world, sshd, { port: proxy.port });
    proxy.reset();
    const played = await playHere(world, { flags: { inventory: [inventory] } });
    return { ...played, wire: proxy.traffic().roundTrips };
  }
});

/** Tasks that are converged when they are played a second time. */
function states(count: number, dir: string): Task[] {
  const kinds: readonly ((i: number) => Task)[] = [
    () => ({ file: { path: dir, state: 'directory', mode: '0755' } }),
    (i) => ({ copy: { dest: `${dir}/copy${i}`, content: `text ${i}\n`, mode: '0644' } }),
    (i) => ({ template: { src: 'motd.j2', dest: `${dir}/motd${i}`, mode: '0600' } }),
    (i) => ({ lineinfile: { path: `${dir}/line${i}`, line: 'one', create: true } }),
    (i) => ({ blockinfile: { path: `${dir}/block${i}`, block: 'one\ntwo', create: true } }),
    () => ({ stat: { path: dir } }),
    () => ({ user: { name: 'root' } }),
    () => ({ group: { name: 'root' } }),
    (i) => ({ file: { path: `${dir}/link${i}`, src: dir, state: 'link' } }),
    () => ({ slurp: { src: '/etc/hostname' } }),
  ];
  return Array.from({ length: count }, (_, i) => kinds[i % kinds.length]?.(i) ?? {});
}
