import { expect } from 'chai';
import { makeWorld, playHere } from '../../support/play-here.ts';

describe('delegate_to', () => {
  it('is rendered once for an item: a host drawn at random is the same everywhere', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `host${i}`);
    const task = {
      name: 'Drawn',
      set_fact: { drawn: '{{ ansible_delegated_vars[ansible_host].ansible_host }}' },
      delegate_to: `{{ ${JSON.stringify(names)} | random }}`,
      delegate_facts: true,
      loop: Array.from({ length: 20 }, (_, i) => i),
    };
    const check = { name: 'Check', debug: { msg: '{{ drawn | default(inventory_hostname) }}' } };
    const plays = [
      { hosts: 'localhost', gather_facts: false, tasks: [task] },
      { hosts: 'host*', gather_facts: false, tasks: [check] },
    ];
    const world = makeWorld({ 'play.yaml': JSON.stringify(plays) });
    try {
      const flags = { inventory: [`localhost,${names.join(',')}`], connection: 'local' };
      const played = await playHere(world, { flags });
      expect(played.failures).to.deep.equal([]);
      const drawn = played.results('Check').map(({ info, result }) => [info.host, result['msg']]);
      expect(drawn).to.deep.equal(names.map((name) => [name, name]));
    } finally {
      world.remove();
    }
  });
});
