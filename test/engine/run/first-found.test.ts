import { expect } from 'chai';
import { makeWorld, playHere } from '../../support/play-here.ts';

const FILES = {
  'files/f': '',
  plain: '',
  'roles/r/files/f': '',
  'roles/r/vars/v.yml': 'kind: vars of the role\n',
  'roles/r/tasks/main.yml':
    '- {name: Show, debug: {msg: "{{ item }}"}, with_first_found: [none, f]}\n' +
    '- {include_vars: "{{ item }}", with_first_found: [none.yml, v.yml]}\n' +
    '- {name: Kind, debug: {msg: "{{ kind }}"}}\n',
};

/** Plays tasks or roles; gives what a task shows, from the playbook's folder on. */
async function shown(play: Record<string, unknown>, title: string): Promise<unknown> {
  const vars = { names: ['{{ missing }}.yml', 'plain'], options: { files: '{{ names }}' } };
  const text = JSON.stringify([{ hosts: 'all', gather_facts: false, vars, ...play }]);
  const world = makeWorld({ ...FILES, 'play.yaml': text });
  try {
    const { results = [], msg } = (await playHere(world)).result(title);
    const [item = { msg }] = results as readonly { msg: unknown }[];
    return String(item.msg).replace(`${world.directory}/`, '');
  } finally {
    world.remove();
  }
}

describe('with_first_found', () => {
  const WANTED: Readonly<Record<string, readonly [unknown, string]>> = {
    'looks into the folder files': [['none', 'f'], 'files/f'],
    'passes over undefined names': [['{{ missing }}', 'plain'], 'plain'],
    'passes over names with undefined parts': [['{{ missing }}.yml', 'plain'], 'plain'],
    'passes over undefined names behind a variable': ['{{ names }}', 'plain'],
    'passes over undefined names of options': [[{ files: '{{ names }}' }], 'plain'],
    'passes over undefined names of options behind a variable': ['{{ options }}', 'plain'],
    'passes over undefined names within an expression': [
      '{{ [{"files": missing}] | zip([{"files": ["plain"]}]) }}',
      'plain',
    ],
    'passes over undefined paths': [
      [{ files: ['f'], paths: ['{{ missing }}', 'files'] }],
      'files/f',
    ],
  };
  for (const [what, [wanted, file]] of Object.entries(WANTED)) {
    it(what, async () => {
      const task = { name: 'Show', debug: { msg: '{{ item }}' }, with_first_found: wanted };
      expect(await shown({ tasks: [task] }, 'Show')).to.equal(file);
    });
  }

  it('looks into the folders of the role first', async () => {
    expect(await shown({ roles: ['r'] }, 'r : Show')).to.equal('roles/r/files/f');
    expect(await shown({ roles: ['r'] }, 'r : Kind')).to.equal('vars of the role');
  });
});
