import { expect } from 'chai';
import { makeWorld, type PlayedHere, playHere } from '../../support/play-here.ts';

interface Played {
  readonly played: PlayedHere;
  /** `host task` of every task that began, in order. */
  readonly begun: readonly string[];
}

/** Plays tasks on hosts a, b and c, all of them this machine. */
async function play(
  strategy: string,
  tasks: readonly unknown[],
  { options = {}, ...more }: Record<string, unknown> = {},
): Promise<Played> {
  const text = JSON.stringify([{ hosts: 'all', gather_facts: false, strategy, tasks, ...more }]);
  const world = makeWorld({ 'play.yaml': text });
  try {
    const flags = { inventory: ['a,b,c'], connection: 'local' };
    const played = await playHere(world, { flags, options: options as object });
    const begun = played.events.flatMap((event) =>
      event.type === 'task-start' ? event.hosts.map((host) => `${host} ${event.task.title}`) : [],
    );
    return { played, begun };
  } finally {
    world.remove();
  }
}

const say = (name: string) => ({ name, debug: { msg: '{{ inventory_hostname }}' } });
/** Waits on host a until host c is at its last task. */
const waitForOthers = (mark: string) => ({
  name: 'Wait',
  command: `sh -c 'until [ -e ${mark} ]; do :; done'`,
  when: 'inventory_hostname == "a"',
});
const leave = (mark: string) => ({
  name: 'Leave',
  command: `touch ${mark}`,
  when: 'inventory_hostname == "c"',
});

describe('strategies', () => {
  it('let no host wait for another under free', async () => {
    const mark = '{{ playbook_dir }}/mark';
    const { begun } = await play('free', [waitForOthers(mark), say('Last'), leave(mark)]);
    expect(begun.indexOf('a Last')).to.be.greaterThan(begun.indexOf('c Leave'));
  });

  it('take hosts through the play one after the other under host_pinned with one fork', async () => {
    const options = { forks: 1 };
    const { begun } = await play('host_pinned', [say('One'), say('Two')], { options });
    expect(begun).to.deep.equal(['a One', 'a Two', 'b One', 'b Two', 'c One', 'c Two']);
  });

  it('keep a throttled task to one host at a time, over the turns of all hosts', async () => {
    const lock = '{{ playbook_dir }}/lock';
    const alone = { name: 'Alone', command: `sh -c 'mkdir ${lock} && rmdir ${lock}'`, throttle: 1 };
    const { played } = await play('free', [alone]);
    expect(played.failures).to.deep.equal([]);
  });

  it('are those of the configuration where the play names none', async () => {
    const { begun } = await play('{{ omit }}', [say('One'), say('Two')], {
      options: { forks: 1, strategy: 'host_pinned' },
    });
    expect(begun.slice(0, 2)).to.deep.equal(['a One', 'a Two']);
  });

  it('run run_once for every host, with a warning, where hosts go by themselves', async () => {
    const { played } = await play('free', [{ ...say('Once'), run_once: true }]);
    expect(played.results('Once').map(({ info }) => info.host)).to.have.members(['a', 'b', 'c']);
    expect(played.warnings[0]).to.equal('run_once has no effect under the strategy free');
  });

  it('refuse what acts for all hosts where hosts go by themselves', async () => {
    const { played } = await play('free', [{ add_host: { name: 'new' } }]);
    expect(played.failures[0]).to.include('add_host acts for all hosts at once');
  });

  it('end the play for all hosts when one of them says so', async () => {
    const end = { meta: 'end_play', when: 'inventory_hostname == "b"' };
    const { played, begun } = await play('host_pinned', [end, say('After')], {
      options: { forks: 1 },
    });
    expect(begun.filter((each) => each.endsWith('After'))).to.deep.equal(['a After']);
    expect(played.failures).to.deep.equal([]);
  });

  it('leave the other hosts alone when one fails, whatever any_errors_fatal says', async () => {
    const fail = { fail: { msg: 'no' }, when: 'inventory_hostname == "a"' };
    const { played } = await play('free', [fail, say('After')], { any_errors_fatal: true });
    expect(played.results('After').map(({ info }) => info.host)).to.have.members(['b', 'c']);
  });

  it('run the handlers of each host by itself', async () => {
    const handlers = [say('Handler')];
    const change = { name: 'Change', command: 'true', notify: 'Handler' };
    const { played } = await play('free', [change], { handlers });
    expect(played.results('Handler')).to.have.length(3);
  });
});
