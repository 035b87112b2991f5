import { expect } from 'chai';
import { makeWorld, type PlayedHere, playHere } from '../../support/play-here.ts';

const FAILING = `
- hosts: all
  gather_facts: false
  KEYWORD
  tasks:
    - {fail: , when: inventory_hostname == 'a'}
    - {name: after the failure, debug: }
- {name: on a, hosts: a, gather_facts: false, tasks: [{debug: }]}
- {name: on b, hosts: b, gather_facts: false, tasks: [{name: of b, debug: }]}
`;

describe('the end of a run', () => {
  const play = async (keyword: string) => {
    const world = makeWorld({ 'play.yaml': FAILING.replace('KEYWORD', keyword) });
    const flags = { inventory: ['a,b'], connection: 'local' };
    return await playHere(world, { flags }).finally(() => world.remove());
  };
  const saysNoneLeft = ({ events }: PlayedHere) =>
    events.some(({ type }) => type === 'no-hosts-left');

  it('does not come where a play has lost its own hosts only', async () => {
    const played = await play('order: inventory');
    expect(played.results('of b')).to.have.length(1);
    expect(saysNoneLeft(played)).to.equal(false);
    expect(played.summary.isEmpty).to.equal(false);
  });

  it('is told where too many hosts have failed', async () => {
    const played = await play('max_fail_percentage: 10');
    expect(played.results('after the failure')).to.have.length(0);
    expect(played.results('of b')).to.have.length(0);
    expect(saysNoneLeft(played)).to.equal(true);
  });

  it('is not told, and comes all the same, where any error is fatal', async () => {
    const played = await play('any_errors_fatal: true');
    expect(played.results('of b')).to.have.length(0);
    expect(saysNoneLeft(played)).to.equal(false);
  });
});
