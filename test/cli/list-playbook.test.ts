import { expect } from 'chai';
import { stringify } from 'yaml';
import { makeWorld, type World } from '../support/play-here.ts';
import { runTsprov } from '../support/tsprov.ts';

const PLAY = {
  hosts: 'all',
  tags: ["{{ 'of' ~ 'play' }}"],
  vars: { several: ['alpha', 'beta'] },
  tasks: [
    { name: 'one', debug: {}, tags: '{{ several }}' },
    { name: 'two', debug: {}, tags: ['{{ several[1] }}', '{{ own }}'], vars: { own: 'x,y' } },
    { name: 'three', debug: {}, tags: ['{{ given }}', '{{ nosuch }}'] },
  ],
};

describe('tsprov play --list-tasks', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld({ 'play.yaml': stringify([PLAY]) });
  });
  afterEach(() => world.remove());

  const list = async (...flags: readonly string[]) => {
    const args = ['play', world.path('play.yaml'), '-i', 'a,', '-e', 'given=outside', ...flags];
    const { stdout } = await runTsprov(args);
    const shown = stdout.split('\n').filter((line) => line.includes('TAGS'));
    return shown.map((line) => line.trim());
  };

  it('renders tags with the variables that are known', async () => {
    expect(await list('--list-tasks')).to.deep.equal([
      `play #1 (all): all\tTAGS: [{{ 'of' ~ 'play' }}]`,
      'one\tTAGS: [alpha, beta, ofplay]',
      'two\tTAGS: [beta, ofplay, x, y]',
      'three\tTAGS: [ofplay, outside, {{ nosuch }}]',
    ]);
  });

  it('chooses tasks by what their tags render to', async () => {
    const tasks = await list('--list-tasks', '--tags', 'beta', '--skip-tags', 'y');
    expect(tasks.slice(1)).to.deep.equal(['one\tTAGS: [alpha, beta, ofplay]']);
  });

  it('lists rendered tags', async () => {
    const [, tags] = await list('--list-tags', '--tags', 'alpha');
    expect(tags).to.equal('TASK TAGS: [alpha, beta, ofplay]');
  });
});

describe('tsprov play --list-tasks, --list-tags and --list-hosts', () => {
  const PLAYS = [
    {
      name: 'of {{ group }}',
      hosts: ['{{ group }}', '!c'],
      vars_prompt: [{ name: 'group', default: 'all' }],
      tags: ['whole'],
      roles: [{ role: 'site', tags: ['never'] }],
      tasks: [
        {
          block: [{ debug: {} }],
          rescue: [{ name: 'rescued', debug: {} }],
          always: [{ name: 'at last', debug: {} }],
        },
      ],
    },
  ];
  let world: World;
  before(() => {
    world = makeWorld({
      'play.yaml': stringify(PLAYS),
      'roles/site/tasks/main.yml': stringify([{ debug: {} }, { name: 'named', debug: {} }]),
    });
  });
  after(() => world.remove());

  const CASES: readonly (readonly [title: string, flags: string[], lines: string[]])[] = [
    [
      'leave out what runs only after a failure, and roles of tasks without a name',
      ['--list-tasks', '--tags', 'whole'],
      [
        'play #1 (all,!c): of all\tTAGS: [whole]',
        'tasks:',
        'debug\tTAGS: [never, whole]',
        'site : named\tTAGS: [never, whole]',
        'debug\tTAGS: [whole]',
      ],
    ],
    [
      'list every tag where none is asked for',
      ['--list-tags'],
      ['play #1 (all,!c): of all\tTAGS: [whole]', 'TASK TAGS: [never, whole]'],
    ],
    [
      'list the tags of a play without tasks that match',
      ['--list-tags', '--tags', 'nothing'],
      ['play #1 (all,!c): of all\tTAGS: [whole]', 'TASK TAGS: [whole]'],
    ],
    [
      'render the hosts of a play',
      ['--list-hosts'],
      ['play #1 (all,!c): of all\tTAGS: [whole]', "pattern: ['all', '!c']", 'hosts (2):', 'a', 'b'],
    ],
  ];
  for (const [title, flags, lines] of CASES) {
    it(title, async () => {
      const args = ['play', world.path('play.yaml'), '-i', 'a,b,c', ...flags];
      const { stdout } = await runTsprov(args);
      const shown = stdout.split('\n').map((line) => line.trim());
      expect(shown.filter((line) => line !== '').slice(1)).to.deep.equal(lines);
    });
  }
});
