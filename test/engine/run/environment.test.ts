import { expect } from 'chai';
import { makeWorld, playHere } from '../../support/play-here.ts';

async function stdoutOf(environment: Record<string, unknown>): Promise<unknown> {
  const echo = { name: 'Echo', command: `sh -c 'echo "$FIRST-$SECOND"'`, environment };
  const play = [{ hosts: 'all', gather_facts: false, tasks: [echo] }];
  const world = makeWorld({ 'play.yaml': JSON.stringify(play) });
  try {
    const played = await playHere(world);
    return played.failures[0] ?? played.result('Echo')['stdout'];
  } finally {
    world.remove();
  }
}

describe('environment', () => {
  it('goes without what needs ansible_env until facts are gathered', async () => {
    const environment = { FIRST: '{{ ansible_env.PATH }}', SECOND: 'two' };
    expect(await stdoutOf(environment)).to.equal('-two');
  });

  it('fails its task over any other undefined variable', async () => {
    const environment = { FIRST: '{{ missing.PATH }}', SECOND: 'two' };
    expect(await stdoutOf(environment)).to.include("'missing' is undefined");
  });
});
