import { expect } from 'chai';
import { makeWorld, playHere, type World } from '../support/play-here.ts';

describe('--limit @file', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld({
      retry: 'b\n# not c\n\nd\n',
      'play.yaml': '- {hosts: all, gather_facts: false, tasks: [{name: look, debug: {}}]}\n',
    });
  });
  afterEach(() => world.remove());

  const play = (limit: string[]) =>
    playHere(world, { flags: { inventory: ['a,b,c,d'], connection: 'local', limit } });

  it('plays the hosts that the file names', async () => {
    const played = await play([`@${world.path('retry')}`]);
    expect(played.results('look').map(({ info }) => info.host)).to.deep.equal(['b', 'd']);
  });

  it('refuses a file that is not there, as a file', async () => {
    const refusal = await play(['@no-such-file']).then(String, String);
    expect(refusal).to.include('the limit file no-such-file cannot be read: ENOENT');
  });
});
