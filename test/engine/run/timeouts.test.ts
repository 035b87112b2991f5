import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { makeWorld, type PlayedHere, playHere, type World } from '../../support/play-here.ts';

/** Tasks that would go on for ever, by what they are at. */
const ENDLESS: Readonly<Record<string, object>> = {
  'a command': { command: 'sleep 100000' },
  'reading what never ends': { slurp: { src: 'FOLDER/fifo' } },
  'gathering facts': { setup: { fact_path: 'FOLDER/facts', gather_timeout: 100_000 } },
  'a hash of a password': { debug: { msg: "{{ 'x' | password_hash(rounds=999999999) }}" } },
};

describe('the time of a task', () => {
  let world: World;

  before(() => {
    world = makeWorld({ 'facts/slow.fact': '#!/bin/sh\nexec sleep 100000\n' });
    execFileSync('chmod', ['755', world.path('facts/slow.fact')]);
    execFileSync('mkfifo', [world.path('fifo')]);
  });
  after(() => world.remove());

  const play = async (tasks: readonly object[]): Promise<PlayedHere> => {
    const text = stringify([{ hosts: 'all', gather_facts: false, tasks }]);
    world.write({ 'play.yaml': text.replaceAll('FOLDER', world.directory) });
    return await playHere(world);
  };

  for (const [what, task] of Object.entries(ENDLESS)) {
    it(`ends ${what}, and leaves the host to the next task`, async () => {
      const late = { name: 'late', ...task, timeout: 1, ignore_errors: true };
      const after = { name: 'after', command: 'echo after' };
      const played = await play([late, after]);
      expect(played.result('late')['msg']).to.equal('Timed out after 1 second(s).');
      expect(played.result('after')['stdout']).to.equal('after');
    });
  }
});
