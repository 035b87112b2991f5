import { expect } from 'chai';
import { InvalidInput } from '../../../src/shared/errors.ts';
import { makeWorld, type PlayedHere, playHere } from '../../support/play-here.ts';

async function loopWith(control: object): Promise<PlayedHere> {
  const task = { name: 'looped', debug: { msg: 'x' }, loop: [1], loop_control: control };
  const play = { hosts: 'localhost', gather_facts: false, tasks: [task] };
  const world = makeWorld({ 'play.yaml': JSON.stringify([play]) });
  return await playHere(world, {}).finally(() => world.remove());
}

async function refusal(control: object): Promise<unknown> {
  return await loopWith(control).catch((error: unknown) => error);
}

describe('loop_control', () => {
  it('has no member that is misspelt, and no list for a text', async () => {
    for (const control of [{ labl: 'x' }, { label: ['x'] }, { loop_var: ['x'] }])
      expect(await refusal(control)).to.be.instanceOf(InvalidInput);
  });

  it('fails the task with a member that makes no sense', async () => {
    for (const control of [{ loop_var: 'no name' }, { extended: 'word' }, { pause: 'word' }]) {
      const { result } = await loopWith(control);
      expect(result('looped')['failed']).to.equal(true);
    }
  });

  it('takes a member that is omitted as absent, but for a label', async () => {
    const omitted = { loop_var: '{{ omit }}', extended: '{{ omit }}', pause: '{{ omit }}' };
    expect((await loopWith(omitted)).failures).to.deep.equal([]);
    expect((await loopWith({ label: '{{ omit }}' })).failures).to.have.length(1);
  });
});
