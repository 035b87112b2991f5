import { expect } from 'chai';
import { makeWorld, type PlayedHere, playHere } from '../../support/play-here.ts';

const PLAY = `
- hosts: localhost
  tasks:
    - {name: facts, debug: {msg: "{{ ansible_kernel is defined }} {{ ansible_facts.kernel is defined }}"}}
    - {name: quiet, debug: {msg: s3cret}, changed_when: true, notify: nobody}
    - {name: loud, debug: {msg: heard}, no_log: false}
`;

describe('settings of a run', () => {
  const play = async (options: Parameters<typeof playHere>[1]): Promise<PlayedHere> => {
    const world = makeWorld({ 'play.yaml': PLAY });
    return await playHere(world, options).finally(() => world.remove());
  };

  it('may hide results, keep facts in their place and only warn of missing handlers', async () => {
    const options = { noLog: true, errorOnMissingHandler: false, injectFacts: false };
    const { result, warnings } = await play({ options });
    expect(result('quiet')).to.have.property('censored');
    expect(result('loud')['msg']).to.equal('heard');
    expect(warnings[0]).to.match(/requested handler 'nobody' was not found/);
    const hidden = await play({ options: { ...options, noLog: false } });
    expect(hidden.result('facts')['msg']).to.equal('False True');
  });

  it('are those of Ansible where nothing is said', async () => {
    const error = await play({}).catch((thrown: unknown) => thrown);
    expect(String(error)).to.match(/requested handler 'nobody' was not found/);
  });
});
