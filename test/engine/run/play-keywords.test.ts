import { expect } from 'chai';
import { InvalidInput } from '../../../src/shared/errors.ts';
import { makeWorld, playHere } from '../../support/play-here.ts';

const TASKS = [{ name: 'first', debug: { msg: 'x' } }];

/** The names of the tasks that ran before the play was refused. */
async function refusedAfter(keywords: object): Promise<readonly string[]> {
  const play = { hosts: 'localhost', gather_facts: false, tasks: TASKS, ...keywords };
  const world = makeWorld({ 'play.yaml': JSON.stringify([play]) });
  const ran: string[] = [];
  const listen = (event: { readonly type: string }) => ran.push(event.type);
  const error: unknown = await playHere(world, { listen })
    .catch((thrown: unknown) => thrown)
    .finally(() => world.remove());
  expect(error).to.be.instanceOf(InvalidInput);
  return ran.filter((type) => type === 'result');
}

describe('a keyword of a play', () => {
  const rendered = ['gather_subset', 'gather_timeout', 'max_fail_percentage', 'force_handlers'];
  for (const name of [...rendered, 'hosts', 'serial', 'strategy', 'order', 'name']) {
    it(`refuses the play before its first task where ${name} cannot be rendered`, async () => {
      expect(await refusedAfter({ [name]: '{{ nowhere }}' })).to.deep.equal([]);
    });
  }

  it('refuses a file of variables that is omitted, and hosts that are no text', async () => {
    await refusedAfter({ vars_files: ['{{ omit }}'] });
    await refusedAfter({ hosts: 5 });
  });

  it('fails the tasks also where they do not need what cannot be rendered', async () => {
    const play = { hosts: 'localhost', gather_facts: false, become_user: '{{ nowhere }}' };
    const world = makeWorld({ 'play.yaml': JSON.stringify([{ ...play, tasks: TASKS }]) });
    const { result } = await playHere(world, {}).finally(() => world.remove());
    expect(result('first')['failed']).to.equal(true);
  });
});
