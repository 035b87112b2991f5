import { expect } from 'chai';
import { makeWorld } from '../support/play-here.ts';
import { runTsprov } from '../support/tsprov.ts';

describe('what debug shows in a loop', () => {
  const CASES = {
    'the item and the variable': [{ var: 'x' }, '=> {\n    "item": 1,\n    "x": 5\n}'],
    'an item that is the variable': [{ var: 'item' }, '=> {\n    "item": 1\n}'],
    'a message without its item': [{ msg: 'hello' }, '=> {\n    "msg": "hello"\n}'],
  } as const;
  for (const [what, [debug, shown]] of Object.entries(CASES)) {
    it(`is ${what}`, async () => {
      const play = [{ hosts: 'all', gather_facts: false, tasks: [{ debug, loop: [1] }] }];
      const world = makeWorld({ 'play.yaml': JSON.stringify(play) });
      try {
        const run = ['play', '-i', 'here,', '-c', 'local', '-e', 'x=5', world.path('play.yaml')];
        expect((await runTsprov(run)).stdout.replace('"5"', '5')).to.include(shown);
      } finally {
        world.remove();
      }
    });
  }
});
