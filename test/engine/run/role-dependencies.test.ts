import { expect } from 'chai';
import { makeWorld, playHere } from '../../support/play-here.ts';

const SHOW =
  "- debug: {msg: \"{{ [a | default('-'), b | default('-'), c | default('-')] | join(' ') }}\"}\n  name: Show\n";
const ROLES = {
  'roles/app/meta/main.yml': 'dependencies: [middle]\n',
  'roles/app/defaults/main.yml': 'a: app\n',
  'roles/app/tasks/main.yml': SHOW,
  'roles/app/tasks/verify.yml': SHOW,
  'roles/middle/meta/main.yml': 'dependencies: [base]\n',
  'roles/middle/vars/main.yml': 'b: middle\n',
  'roles/base/defaults/main.yml': 'a: base\nb: base\nc: base\n',
};

/** What the tasks of the role show, however the play comes to it. */
async function shown(play: Record<string, unknown>): Promise<unknown[]> {
  const text = JSON.stringify([{ hosts: 'all', gather_facts: false, ...play }]);
  const world = makeWorld({ ...ROLES, 'play.yaml': text });
  try {
    const { results, failures } = await playHere(world);
    expect(failures).to.deep.equal([]);
    return [...results('app : Show'), ...results('Show')].map(({ result }) => result['msg']);
  } finally {
    world.remove();
  }
}

describe('a role with dependencies', () => {
  const WAYS: Readonly<Record<string, Record<string, unknown>>> = {
    'in the list of roles': { roles: ['app'] },
    imported: { tasks: [{ import_role: { name: 'app' } }] },
    included: { tasks: [{ include_role: { name: 'app' } }] },
    'included from another file': {
      tasks: [{ include_role: { name: 'app', tasks_from: 'verify' } }],
    },
  };
  for (const [way, play] of Object.entries(WAYS)) {
    it(`sees their variables and defaults below its own when it is ${way}`, async () => {
      expect(await shown(play)).to.deep.equal(['app middle base']);
    });
  }

  it('does not show the variables of an included role to other tasks', async () => {
    const tasks = [
      { include_role: { name: 'app' } },
      { name: 'Show', debug: { msg: "{{ c | default('-') }}" } },
    ];
    expect(await shown({ tasks })).to.deep.equal(['app middle base', '-']);
  });
});
