import { expect } from 'chai';
import { InvalidInput } from '../../../src/shared/errors.ts';
import { makeWorld, type PlayedHere, playHere } from '../../support/play-here.ts';
import { BAD_PLAYBOOKS, type BadPlaybook, FAILING_PLAYBOOKS } from './bad-playbooks.ts';

describe('a playbook that is wrong', () => {
  for (const given of BAD_PLAYBOOKS) {
    it(`is refused before anything runs: ${given.title}`, async () => {
      expect(await refusal(given)).to.equal(given.says.join('\n'));
    });
  }

  it('is played with a warning where a key is written twice', async () => {
    const world = makeWorld({
      'play.yaml': '- hosts: localhost\n  gather_facts: false\n  gather_facts: false\n',
    });
    const { warnings } = await playHere(world);
    world.remove();
    expect(warnings).to.deep.equal(['the key "gather_facts" is written twice, first on line 2']);
  });

  it('is played with a warning where the author reckons with the failure', async () => {
    const world = makeWorld({
      'play.yaml': [
        '- hosts: localhost',
        '  gather_facts: false',
        '  tasks:',
        '    - {ping: {colour: red}, ignore_errors: true}',
        '    - {ping: {colour: red}, failed_when: false}',
        '    - {block: [{ping: {colour: red}}], rescue: [{ping: }]}',
        '',
      ].join('\n'),
    });
    const { warnings } = await playHere(world, {
      flags: { inventory: ['localhost,'], connection: 'local' },
    });
    world.remove();
    const also = `also at ${world.path('play.yaml')}:5:15, ${world.path('play.yaml')}:6:24`;
    expect(warnings).to.deep.equal([`ping: unknown argument "colour" (supported: data; ${also})`]);
  });

  for (const given of FAILING_PLAYBOOKS) {
    it(`fails at the task: ${given.title}`, async () => {
      expect(await failure(given)).to.equal(given.says.join('\n'));
    });
  }
});

/** What is printed instead of a run; paths are relative to the playbook. */
function refusal(given: BadPlaybook): Promise<string> {
  return inWorld(given, async (play) => {
    try {
      await play();
      return 'it ran';
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return error.message;
    }
  });
}

/** The messages of tasks that failed. */
function failure(given: BadPlaybook): Promise<string> {
  return inWorld(given, async (play) => {
    const { failures } = await play();
    return failures.map((text) => text.replace(/^localhost: /, '')).join('\n');
  });
}

async function inWorld(
  { files, flags = {} }: BadPlaybook,
  tell: (play: () => Promise<PlayedHere>) => Promise<string>,
): Promise<string> {
  const world = makeWorld({ password: 'the wrong one', ...files });
  const placed = Object.entries(flags).map(([flag, names]) => [flag, names.map(world.path)]);
  const here = { inventory: ['localhost,'], connection: 'local' };
  try {
    const text = await tell(() =>
      playHere(world, { flags: { ...here, ...Object.fromEntries(placed) } }),
    );
    return text.replaceAll(`${world.directory}/`, '').replaceAll(world.directory, '.');
  } finally {
    world.remove();
  }
}
