import { expect } from 'chai';
import { stringify } from 'yaml';
import { makeWorld, type PlayedHere, playHere, type World } from '../../support/play-here.ts';

describe('the tries, items and time of a task', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  it('lets failed_when and changed_when read `attempts` of what is registered', async () => {
    const played = await play({
      command: 'true',
      register: 'r',
      until: 'r.attempts > 1',
      delay: 1,
      failed_when: 'r.attempts > 5',
      changed_when: 'r.attempts == 2',
    });
    expect(played.failures).to.deep.equal([]);
    expect(played.result('task')).to.include({ attempts: 2, changed: true });
  });

  it('goes on after the last try where failed_when says that nothing has failed', async () => {
    const task = { command: 'true', register: 'r', until: false, retries: 1, delay: 1 };
    const played = await play({ ...task, failed_when: false, loop: ['a', 'b'] });
    expect(played.failures).to.deep.equal([]);
    const result = played.result('task');
    expect(result).to.include({ failed: true, msg: 'One or more items failed' });
    const { results } = result as { results: Record<string, unknown>[] };
    expect(results.map(({ failed }) => failed)).to.deep.equal([true, true]);
    expect((await play(task)).failures).to.have.lengthOf(1);
  });

  it('lets the label of a loop see the result of its item', async () => {
    const played = await play({
      command: 'echo {{ item }}!',
      loop: ['a', 'b'],
      register: 'r',
      loop_control: { label: '{{ r.stdout }}' },
    });
    const labels = played.events.flatMap((event) =>
      event.type === 'item' ? [event.info.label] : [],
    );
    expect(labels).to.deep.equal(['a!', 'b!']);
  });

  it('fails an item whose label cannot be rendered, and goes on with the next', async () => {
    const played = await play({
      command: 'echo {{ item }}',
      loop: ['a', 'skipped', 'b'],
      when: 'item != "skipped"',
      register: 'r',
      loop_control: { label: '{{ r.stdout }}' },
      ignore_errors: true,
    });
    const { results } = played.result('task') as { results: Record<string, unknown>[] };
    expect(results.map(({ failed }) => failed)).to.deep.equal([false, true, false]);
    expect(results[1]?.['msg']).to.match(/^Failed to template loop_control\.label: .*'stdout'/);
  });

  for (const timeout of [-1, 100_000_001]) {
    it(`fails a task with the timeout ${timeout}`, async () => {
      const played = await play({ command: 'true', timeout, register: 'r', ignore_errors: true });
      const result = played.result('task');
      expect(result['msg']).to.equal(
        `Timeout ${timeout} is invalid, it must be between 0 and 100000000.`,
      );
      expect(result).not.to.have.property('timedout');
    });
  }

  async function play(task: object): Promise<PlayedHere> {
    const tasks = [{ name: 'task', ...task }];
    world.write({ 'play.yaml': stringify([{ hosts: 'all', gather_facts: false, tasks }]) });
    return await playHere(world);
  }
});
