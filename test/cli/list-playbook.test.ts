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
