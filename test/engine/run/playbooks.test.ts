import { expect } from 'chai';
import { makeWorld, playHere } from '../../support/play-here.ts';

const pwd = { name: 'Where', command: 'pwd' };
const play = (...tasks: readonly unknown[]) =>
  JSON.stringify([{ hosts: 'all', gather_facts: false, tasks }]);

describe('tasks on this machine', () => {
  it('run in the directory of their playbook, also of one that is imported', async () => {
    const world = makeWorld({
      'sub/other.yaml': play(pwd),
      'play.yaml': `${play(pwd).slice(0, -1)}, {"import_playbook": "sub/other.yaml"}]`,
    });
    try {
      const places = (await playHere(world)).results('Where').map(({ result }) => result['stdout']);
      expect(places).to.deep.equal([world.directory, world.path('sub')]);
    } finally {
      world.remove();
    }
  });
});

describe('plays on groups', () => {
  it('may speak of one that an earlier play makes, also where mismatches are errors', async () => {
    const group = { name: 'Group', group_by: { key: 'made' } };
    const plays = [
      { hosts: 'all', gather_facts: false, tasks: [group] },
      { hosts: 'made', gather_facts: false, tasks: [pwd] },
    ];
    const world = makeWorld({
      'play.yaml': JSON.stringify(plays),
      'ansible.cfg': '[inventory]\nhost_pattern_mismatch = error\n',
    });
    try {
      const environment = { ANSIBLE_CONFIG: world.path('ansible.cfg') };
      const config = { environment, directory: world.directory, home: world.directory };
      expect((await playHere(world, { config })).results('Where')).to.have.length(1);
    } finally {
      world.remove();
    }
  });
});
