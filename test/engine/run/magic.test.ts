import { expect } from 'chai';
import { stringify } from 'yaml';
import {
  makeWorld,
  type PlayedHere,
  type PlayHereOptions,
  playHere,
  type World,
} from '../../support/play-here.ts';

const INVENTORY = `
[web]
one.example.org answer=42
two
[db]
two
[site:children]
web
db
[all:vars]
ansible_connection=local
greeting="hello {{ inventory_hostname }}"
`;

describe('magic variables', () => {
  let world: World;

  beforeEach(() => {
    world = makeWorld({ 'inventory/hosts.ini': INVENTORY });
  });
  afterEach(() => world.remove());

  /** Expression → what it is on `one.example.org` in a play on all hosts. */
  const VALUES: Readonly<Record<string, unknown>> = {
    inventory_hostname: 'one.example.org',
    inventory_hostname_short: 'one',
    'inventory_dir == playbook_dir ~ "/inventory"': true,
    'inventory_file == inventory_dir ~ "/hosts.ini"': true,
    'ansible_playbook_python is match(".*/python3$")': true,
    ansible_host: 'one.example.org',
    'hostvars.two.ansible_host is defined': false,
    'hostvars.localhost.inventory_hostname': 'localhost',
    '["localhost" in hostvars, "nobody" in hostvars]': [true, false],
    'hostvars["127.0.0.1"].inventory_dir is defined': false,
    'vars.keys() | intersect(["omit", "inventory_dir", "ansible_limit"])': ['inventory_dir'],
    'groups.web': ['one.example.org', 'two'],
    'groups.all | sort': ['one.example.org', 'two'],
    'groups.ungrouped': [],
    'groups | sort': ['all', 'db', 'site', 'ungrouped', 'web'],
    group_names: ['site', 'web'],
    'hostvars.two.group_names': ['db', 'site', 'web'],
    'hostvars["one.example.org"].answer': 42,
    'hostvars.two.greeting': 'hello two',
    'hostvars.two.of_play is defined': false,
    'vars.hostvars.two.answer is defined': false,
    'vars.hostvars["one.example.org"].answer': 42,
    '["hostvars" in vars, "hostvars" in hostvars.two]': [true, false],
    'hostvars | sort': ['one.example.org', 'two'],
    ansible_play_name: 'The play',
    ansible_play_hosts: ['one.example.org', 'two'],
    ansible_play_hosts_all: ['one.example.org', 'two'],
    ansible_play_batch: ['one.example.org', 'two'],
    ansible_check_mode: false,
    ansible_diff_mode: true,
    ansible_forks: 7,
    ansible_verbosity: 0,
    'ansible_version.full is version("2.19", ">=")': true,
    ansible_run_tags: ['all'],
    ansible_skip_tags: [],
    'ansible_limit is defined': false,
    'ansible_inventory_sources == [inventory_file]': true,
    'ansible_search_path[-1] == playbook_dir': true,
    'vars.of_play': 'play',
    'vars.greeting': 'hello one.example.org',
    environment: [{ A: 'b' }],
    'role_name is defined': false,
    ansible_play_role_names: ['outer'],
    ansible_role_names: ['inner', 'outer'],
    ansible_dependent_role_names: ['inner'],
  };

  it('have the values that Ansible gives them', async () => {
    const names = Object.keys(VALUES);
    world.write({
      'roles/outer/meta/main.yaml': 'dependencies: [inner]\n',
      'roles/outer/tasks/main.yaml': '[]\n',
      'roles/inner/tasks/main.yaml': '[]\n',
    });
    const tasks = names.map((name) => ({ name, debug: { msg: `{{ ${name} }}` } }));
    const play = {
      name: 'The play',
      roles: ['outer'],
      environment: { A: 'b' },
      vars: { of_play: 'play' },
    };
    const played = await run({ ...play, tasks }, { flags: { ...flags(), forks: 7, diff: true } });
    const seen = names.map((name) => [name, on(played, name, 'one.example.org')['msg']]);
    expect(Object.fromEntries(seen)).to.deep.equal(VALUES);
  });

  it('tell a role its name, its path and who includes it', async () => {
    const msg = '{{ [role_name, ansible_role_name, role_path, ansible_parent_role_names] }}';
    world.write({
      'roles/outer/tasks/main.yaml': stringify([{ include_role: { name: 'inner' } }]),
      'roles/inner/tasks/main.yaml': stringify([{ name: 'look', debug: { msg } }]),
    });
    const played = await run({ roles: ['outer'] });
    const expected = ['inner', 'inner', world.path('roles/inner'), ['outer']];
    expect(on(played, 'inner : look', 'two')['msg']).to.deep.equal(expected);
  });

  it('leave out roles that depend on the one that includes a role', async () => {
    const msg = '{{ ansible_parent_role_names }}';
    world.write({
      'roles/outer/meta/main.yaml': stringify({ dependencies: ['needed'] }),
      'roles/needed/tasks/main.yaml': stringify([{ import_role: { name: 'inner' } }]),
      'roles/inner/tasks/main.yaml': stringify([{ name: 'look', debug: { msg } }]),
    });
    const played = await run({ roles: ['outer'] });
    expect(on(played, 'inner : look', 'two')['msg']).to.deep.equal(['needed']);
  });

  it('speak of both hosts in a delegated task, of each host in a delegated loop', async () => {
    const there = 'ansible_delegated_vars[item]';
    const seen = ['inventory_hostname', `${there}.inventory_hostname`, `${there}.ansible_host`];
    const msg = `{{ [ansible_delegated_vars | list, ansible_host, ${seen.join(', ')}] }}`;
    const played = await run({
      hosts: 'one.example.org',
      tasks: [
        { name: 'look', debug: { msg }, delegate_to: '{{ item }}', loop: ['two', 'stranger'] },
        { name: 'after', debug: { msg: '{{ ansible_delegated_vars is defined }}' } },
      ],
    });
    const one = 'one.example.org';
    const { results } = played.result('look');
    const items = Array.isArray(results) ? results : [];
    expect(items.map(({ msg }) => msg)).to.deep.equal([
      [['two'], 'two', one, one, 'two'],
      [['stranger'], 'stranger', one, one, 'stranger'],
    ]);
    expect(played.result('after')['msg']).to.equal(false);
  });

  it('lie in no directory with a list of hosts, and the host itself has its own address', async () => {
    const msg = "{{ [ansible_host, inventory_dir | default('-'), inventory_file | default('-')] }}";
    for (const [hosts, expected] of [
      ['a', ['a', 'None', 'a,']],
      ['localhost', ['127.0.0.1', '-', '-']],
    ]) {
      const play = { hosts, connection: 'local', tasks: [{ name: 'look', debug: { msg } }] };
      const played = await run(play, { flags: { inventory: ['a,'] } });
      expect(played.result('look')['msg']).to.deep.equal(expected);
    }
  });

  it('let a play choose its hosts by the groups that earlier plays made', async () => {
    const groupBy = { group_by: { key: 'chosen' }, when: 'inventory_hostname == "two"' };
    const look = { name: 'look', debug: { msg: '{{ inventory_hostname }}' } };
    const hosts = ["{{ groups['chosen'] | default([]) }}", "{{ groups['nobody'] | default([]) }}"];
    const plays = hosts.map((each) => ({ hosts: each, gather_facts: false, tasks: [look] }));
    world.write({
      'play.yaml': stringify([{ hosts: 'all', gather_facts: false, tasks: [groupBy] }, ...plays]),
    });
    const played = await playHere(world, { flags: flags() });
    expect(played.results('look').map(({ info }) => info.host)).to.deep.equal(['two']);
  });

  it('leave a failed host out of the hosts of the plays that follow', async () => {
    const msg = '{{ [ansible_play_hosts, ansible_play_hosts_all, ansible_play_batch] }}';
    const play = (tasks: object[]) => ({ hosts: 'all', gather_facts: false, tasks });
    const fail = { fail: { msg: 'on purpose' }, when: 'inventory_hostname == "two"' };
    world.write({
      'play.yaml': stringify([play([fail]), play([{ name: 'look', debug: { msg } }])]),
    });
    const played = await playHere(world, { flags: flags() });
    const [one, both] = [['one.example.org'], ['one.example.org', 'two']];
    expect(on(played, 'look', 'one.example.org')['msg']).to.deep.equal([one, both, one]);
  });

  it('hold of another host only what is asked for: a broken variable beside it does no harm', async () => {
    const tasks = [
      { set_fact: { fine: 'yes it is' }, when: 'inventory_hostname == "two"' },
      {
        name: 'fine',
        debug: { msg: '{{ hostvars.two.fine }} {{ hostvars.two.broken is defined }}' },
      },
      { name: 'broken', debug: { msg: '{{ hostvars.two.broken }}' }, ignore_errors: true },
    ];
    world.write({ 'inventory/host_vars/two.yaml': 'broken: "{{ nowhere_to_be_found }}"\n' });
    const played = await run({ tasks });
    expect(on(played, 'fine', 'one.example.org')['msg']).to.equal('yes it is False');
    expect(on(played, 'broken', 'one.example.org')['msg']).to.include(
      "'nowhere_to_be_found' is undefined",
    );
  });

  it('make an error of a variable that leads back to itself, naming it', async () => {
    const vars = { a: '{{ b }}', b: '{{ c }}', c: '{{ a }}' };
    const played = await run({ hosts: 'two', vars, tasks: [{ debug: { msg: '{{ a }}' } }] });
    expect(played.failures.join()).to.match(/two: .*recursive loop.*\b[abc]\b/i);
  });

  it('let a variable be used before the one it needs is set, and follow its changes', async () => {
    const tasks = [
      { set_fact: { name: 'Ada' } },
      { name: 'first', debug: { msg: '{{ text }}' } },
      { set_fact: { name: 'Grace' } },
      { name: 'second', debug: { msg: '{{ text }}' } },
    ];
    const played = await run({ hosts: 'two', vars: { text: 'Dear {{ name }}' }, tasks });
    expect(['first', 'second'].map((title) => played.result(title)['msg'])).to.deep.equal([
      'Dear Ada',
      'Dear Grace',
    ]);
  });

  const flags = () => ({ inventory: [world.path('inventory/hosts.ini')] });

  function run(play: object, options: PlayHereOptions = { flags: flags() }): Promise<PlayedHere> {
    world.write({ 'play.yaml': stringify([{ hosts: 'all', gather_facts: false, ...play }]) });
    return playHere(world, options);
  }
});

function on(played: PlayedHere, title: string, host: string): Readonly<Record<string, unknown>> {
  const found = played.results(title).find(({ info }) => info.host === host);
  if (found === undefined) throw new Error(`no result of "${title}" on ${host}`);
  return found.result;
}
