import { expect } from 'chai';
import { openSetting } from '../../../src/cli/run-services.ts';
import { loadPlaybooks } from '../../../src/engine/run-playbook.ts';
import { makeWorld } from '../../support/play-here.ts';

/** Tasks of a first play, and whether a second play on the group `later` is said to match nothing. */
const CASES: Readonly<Record<string, { tasks: string; isWarnedOf: boolean }>> = {
  'nothing else': { tasks: '- debug:', isWarnedOf: true },
  'a group_by': { tasks: '- group_by: {key: "{{ x }}"}', isWarnedOf: false },
  'an add_host': { tasks: '- add_host: {name: new, groups: later}', isWarnedOf: false },
  'a group_by in an included file': { tasks: '- include_tasks: more.yaml', isWarnedOf: false },
  'an include that depends on a variable': {
    tasks: '- include_tasks: "{{ x }}"',
    isWarnedOf: false,
  },
  'a look at the inventory anew': { tasks: '- meta: refresh_inventory', isWarnedOf: false },
  'another meta task': { tasks: '- meta: noop', isWarnedOf: true },
};

describe('a play whose hosts are not there before the run', () => {
  for (const [title, { tasks, isWarnedOf }] of Object.entries(CASES)) {
    it(`is ${isWarnedOf ? '' : 'not '}warned of after ${title}`, async () => {
      const world = makeWorld({
        'play.yaml': `- hosts: here\n  vars: {x: a}\n  tasks:\n    ${tasks}\n- hosts: later\n  tasks: []\n`,
        'more.yaml': '- group_by: {key: later}',
      });
      const setting = await openSetting({ inventory: ['here,'] }, [world.path('play.yaml')]);
      await loadPlaybooks([world.path('play.yaml')], setting, { deep: true });
      world.remove();
      const said = setting.inventory.warnings.map(({ message }) => message);
      const warning = 'the host pattern "later" matches no host and no group';
      expect(said).to.deep.equal(isWarnedOf ? [warning] : []);
    });
  }
});
