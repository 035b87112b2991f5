import { expect } from 'chai';
import { makeWorld, playHere } from '../../support/play-here.ts';

const OUTER = `
- import_playbook: inner.yaml
  vars: {given: from outside}
  when: given != ''
  no_log: true
  ignore_errors: true
  throttle:
`;

const INNER = `
- hosts: localhost
  gather_facts: false
  tasks:
    - {name: told, debug: {var: given}}
    - {name: failing, fail: {msg: stopped}}
`;

describe('import_playbook', () => {
  it('hands down vars, when and tags alone, and warns of other keywords', async () => {
    const world = makeWorld({ 'play.yaml': OUTER, 'inner.yaml': INNER });
    const played = await playHere(world, {}).finally(() => world.remove());
    expect(played.result('told')['given']).to.equal('from outside');
    expect(played.failures).to.deep.equal(['localhost: stopped']);
    const idle = played.warnings.map((text) => text.split(' ')[0]);
    expect(idle).to.deep.equal(['no_log', 'ignore_errors', 'throttle']);
  });
});
