import { expect } from 'chai';
import { stringify } from 'yaml';
import { makeWorld, type PlayedHere, playHere, type World } from '../../support/play-here.ts';

const LOOK =
  '{{ [r.exception is defined, r.failed_when_suppressed_exception is defined, r.results | default([]) | map(attribute="exception", default="-")] }}';
const THERE = '(traceback unavailable)';

/** A task that registers `r`, and which members of it tell of an exception. */
const CASES: Readonly<Record<string, readonly [task: object, seen: readonly unknown[]]>> = {
  'a task that has failed': [{ fail: {}, ignore_errors: true }, [true, false, []]],
  'a task that went well': [{ command: 'true' }, [false, false, []]],
  'a failure that failed_when undoes': [
    { command: 'false', failed_when: false },
    [false, true, []],
  ],
  'the items of a loop': [
    { command: '{{ item }}', loop: ['false', 'true'], ignore_errors: true },
    [false, false, [THERE, '-']],
  ],
};

describe('the exception in a registered result', () => {
  let world: World;
  afterEach(() => world.remove());

  for (const [name, [task, seen]] of Object.entries(CASES)) {
    it(`is there as in Ansible: ${name}`, async () => {
      const tasks = [
        { ...task, register: 'r' },
        { name: 'look', debug: { msg: LOOK } },
      ];
      const played: PlayedHere = await play(tasks);
      expect(played.result('look')['msg']).to.deep.equal(seen);
    });
  }

  it('is in ansible_failed_result of a rescue', async () => {
    const msg = '{{ ansible_failed_result.exception }}';
    const tasks = [{ block: [{ fail: {} }], rescue: [{ name: 'look', debug: { msg } }] }];
    expect((await play(tasks)).result('look')['msg']).to.equal(THERE);
  });

  async function play(tasks: readonly object[]): Promise<PlayedHere> {
    const text = stringify([{ hosts: 'all', gather_facts: false, tasks }]);
    world = makeWorld({ 'play.yaml': text });
    return await playHere(world);
  }
});
