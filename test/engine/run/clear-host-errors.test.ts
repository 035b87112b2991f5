import { expect } from 'chai';
import { stringify } from 'yaml';
import { exitCodeOf } from '../../../src/cli/exit-codes.ts';
import { freePort } from '../../support/free-port.ts';
import { makeWorld, type PlayedHere, playHere, type World } from '../../support/play-here.ts';

const CLEAR = { meta: 'clear_host_errors' };
const FAIL = { name: 'fail', command: 'false' };
const told = (name: string) => ({ name, debug: {} });

describe('meta: clear_host_errors', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  it('in an always lets the host go on after its block; the failure counts, the exit code is 0', async () => {
    const block = { block: [FAIL], always: [CLEAR, told('always')] };
    const played = await play([{ block: [block, told('around')] }, told('after')]);
    for (const name of ['always', 'around', 'after']) {
      expect(played.results(name), name).to.have.length(1);
    }
    expect(played.summary.stats.get('localhost')).to.include({ failed: 1, ok: 3 });
    expect(exitCodeOf(played.summary)).to.equal(0);
  });

  it('does not bring back a host that has failed before, until the next play', async () => {
    const first = { ...FAIL, when: "inventory_hostname == 'a'" };
    const inventory = ['a,b'];
    const played = await play([first, CLEAR, told('after')], inventory, [told('next')]);
    expect(hostsOf(played, 'after')).to.deep.equal(['b']);
    expect(hostsOf(played, 'next')).to.have.members(['a', 'b']);
    expect(exitCodeOf(played.summary)).to.equal(0);
  });

  it('brings back an unreachable host at the task after the one that it has missed', async () => {
    const port = await freePort();
    world.write({
      hosts: `good ansible_connection=local\nbad ansible_host=127.0.0.1 ansible_port=${port} ansible_connection=ssh\n`,
    });
    const tasks = [{ name: 'ping', ping: {} }, told('missed'), CLEAR, told('after')];
    const played = await play(tasks, [world.path('hosts')]);
    expect(hostsOf(played, 'missed')).to.deep.equal(['good', 'bad']);
    expect(hostsOf(played, 'after')).to.have.members(['good', 'bad']);
    expect(played.summary.stats.get('bad')).to.include({ unreachable: 1, ok: 2 });
    expect(exitCodeOf(played.summary)).to.equal(0);
  });

  async function play(
    tasks: readonly object[],
    inventory: string[] = ['localhost,'],
    next?: readonly object[],
  ): Promise<PlayedHere> {
    const plays = [tasks, ...(next ? [next] : [])];
    world.write({
      'play.yaml': stringify(
        plays.map((each) => ({ hosts: 'all', gather_facts: false, tasks: each })),
      ),
    });
    const flags = inventory.includes(world.path('hosts')) ? {} : { connection: 'local' };
    return await playHere(world, { flags: { inventory, ...flags } });
  }

  function hostsOf(played: PlayedHere, name: string): string[] {
    return played.results(name).map(({ info }) => info.host);
  }
});
