import { expect } from 'chai';
import { stringify } from 'yaml';
import { makeWorld, playHere, type World } from '../../support/play-here.ts';

const NOBODY = 'gone ansible_host=127.0.0.1 ansible_port=1\n';

describe('failures that are ignored', () => {
  let world: World;

  beforeEach(() => {
    world = makeWorld({ inventory: NOBODY });
  });
  afterEach(() => world.remove());

  const play = (loop: readonly boolean[]) => {
    const tasks = [
      { name: 'reach', ping: null, ignore_unreachable: '{{ item }}', loop },
      { name: 'after', debug: null },
    ];
    world.write({ 'play.yaml': stringify([{ hosts: 'gone', gather_facts: false, tasks }]) });
    return playHere(world, { flags: { inventory: [world.path('inventory')] } });
  };

  it('keep an unreachable host in the run when every item may be unreachable', async () => {
    const played = await play([true, true]);
    expect(played.results('after')).to.have.lengthOf(1);
    expect(played.summary.stats.get('gone')).to.include({ ok: 2, ignored: 1, unreachable: 0 });
  });

  for (const loop of [
    [false, true],
    [true, false],
  ]) {
    it(`lose it when one item may not: ${loop}`, async () => {
      const played = await play(loop);
      expect(played.results('after')).to.be.empty;
      expect(played.summary.stats.get('gone')).to.include({ ok: 0, ignored: 0, unreachable: 1 });
    });
  }
});
