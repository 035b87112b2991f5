import { expect } from 'chai';
import { makeWorld, type PlayedHere, playHere } from '../../support/play-here.ts';

const FILES = {
  'set.yaml': '- set_fact: {included: "yes"}\n',
  'inc.yaml': '- debug: {msg: "{{ inventory_hostname }}"}\n  name: Included\n',
  'roles/one/tasks/main.yaml': '- debug: {msg: "{{ inventory_hostname }}"}\n  name: Included\n',
};

/** Plays tasks on three hosts of this machine. */
async function play(tasks: readonly unknown[], keywords = {}): Promise<PlayedHere> {
  const text = JSON.stringify([{ hosts: 'all', gather_facts: false, tasks, ...keywords }]);
  const world = makeWorld({ ...FILES, 'play.yaml': text });
  try {
    return await playHere(world, { flags: { inventory: ['a,b,c'], connection: 'local' } });
  } finally {
    world.remove();
  }
}

const hostsOf = (played: PlayedHere, ...titles: readonly string[]) =>
  titles.flatMap((title) => played.results(title).map(({ info }) => info.host));

describe('run_once', () => {
  const once = { run_once: true };
  /** Tasks, and the hosts that the included task runs on. */
  const INCLUDES: Readonly<Record<string, readonly [Record<string, unknown>, readonly string[]]>> =
    {
      'include_tasks for the first host': [{ include_tasks: 'inc.yaml', ...once }, ['a']],
      'include_tasks in a loop': [{ include_tasks: 'inc.yaml', loop: [1, 2], ...once }, ['a', 'a']],
      'include_role for the first host': [{ include_role: { name: 'one' }, ...once }, ['a']],
      'include_role in a loop': [
        { include_role: { name: 'one' }, loop: [1, 2], ...once },
        ['a', 'a'],
      ],
      'an include in a block': [{ block: [{ include_tasks: 'inc.yaml' }], ...once }, ['a']],
      'hosts up to the first for which it holds': [
        { include_tasks: 'inc.yaml', run_once: '{{ inventory_hostname == "b" }}' },
        ['a', 'b'],
      ],
      'nothing where the condition of the first host does not hold': [
        { include_tasks: 'inc.yaml', when: 'inventory_hostname != "a"', ...once },
        [],
      ],
    };
  for (const [what, [task, hosts]] of Object.entries(INCLUDES)) {
    it(`carries out ${what}`, async () => {
      const played = await play([task, { name: 'Next', debug: { msg: 'next' } }]);
      expect(hostsOf(played, 'Included', 'one : Included')).to.deep.equal(hosts);
      expect(hostsOf(played, 'Next')).to.deep.equal(['a', 'b', 'c']);
    });
  }

  it('gives all hosts what it sets, also those that go another way', async () => {
    const set = { set_fact: { given: 'yes' }, ...once };
    const block = { block: [set], when: 'inventory_hostname == "a"' };
    const show = { name: 'Given', debug: { msg: '{{ given }}' } };
    const apply = { include_tasks: { file: 'set.yaml', apply: once }, ...once };
    const later = { name: 'Included', debug: { msg: '{{ included }}' } };
    const played = await play([block, show, apply, later]);
    const told = ['Given', 'Included'].flatMap((title) => played.results(title));
    expect(told.map(({ result }) => result['msg'])).to.deep.equal(Array(6).fill('yes'));
  });

  it('fails an include for all hosts when its file is missing', async () => {
    const rescue = [{ name: 'Rescue', debug: { msg: '{{ inventory_hostname }}' } }];
    const played = await play([{ block: [{ include_tasks: 'no.yaml', ...once }], rescue }]);
    expect(hostsOf(played, 'Rescue')).to.deep.equal(['a', 'b', 'c']);
  });

  it('runs on the first host of the play, also where that one came by another way', async () => {
    const played = await play([
      { include_tasks: 'inc.yaml', when: 'inventory_hostname == "a"' },
      { name: 'Once', debug: { msg: 'once' }, ...once },
    ]);
    expect(hostsOf(played, 'Once')).to.deep.equal(['a']);
  });

  it('of a play gathers facts of every host all the same', async () => {
    const show = { name: 'Show', debug: { msg: 'once' } };
    const played = await play([show], { gather_facts: true, gather_subset: ['!all'], ...once });
    expect(hostsOf(played, 'Gathering Facts')).to.have.members(['a', 'b', 'c']);
    expect(hostsOf(played, 'Show')).to.deep.equal(['a']);
  });
});

describe('add_host', () => {
  it('puts new hosts before those of groups', async () => {
    const plays = [
      {
        hosts: 'a',
        gather_facts: false,
        tasks: [{ add_host: { name: 'late', groups: 'fresh' } }],
      },
      {
        hosts: 'all',
        gather_facts: false,
        tasks: [{ name: 'Hosts', debug: { msg: '{{ ansible_play_hosts }}' } }],
      },
    ];
    const inventory = '[web]\na\nb\n[all:vars]\nansible_connection=local\n';
    const world = makeWorld({ hosts: inventory, 'play.yaml': JSON.stringify(plays) });
    try {
      const { results } = await playHere(world, { flags: { inventory: [world.path('hosts')] } });
      expect(results('Hosts')[0]?.result['msg']).to.deep.equal(['late', 'a', 'b']);
    } finally {
      world.remove();
    }
  });
});
