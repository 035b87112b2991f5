import { expect } from 'chai';
import { makeWorld, playHere } from '../../support/play-here.ts';

const PLAY = `
- hosts: localhost
  gather_facts: false
  check_mode: true
  ignore_errors: true
  tasks:
    - {name: task, command: echo run, check_mode: "{{ omit }}", changed_when: false}
    - name: included
      include_tasks: {file: inner.yaml, apply: {check_mode: "{{ omit }}"}}
    - {name: own, command: echo run, check_mode: false, changed_when: false}
    - {name: failing, fail: {msg: no}, ignore_errors: "{{ omit }}"}
    - {name: after, debug: {msg: reached}}
`;

describe('a keyword that is omitted', () => {
  it('has the value that the task inherits', async () => {
    const world = makeWorld({
      'play.yaml': PLAY,
      'inner.yaml': '[{name: inner, command: echo run, changed_when: false}]',
    });
    const { result } = await playHere(world, {}).finally(() => world.remove());
    expect(result('task')['skipped']).to.equal(true);
    expect(result('inner')['skipped']).to.equal(true);
    expect(result('own')['stdout']).to.equal('run');
    expect(result('after')['msg']).to.equal('reached');
  });

  it('fails the tasks of a block that omits it for them, as with Ansible', async () => {
    const block = { check_mode: '{{ omit }}', block: [{ name: 'inner', ping: {} }] };
    const play = { hosts: 'localhost', gather_facts: false, tasks: [block] };
    const world = makeWorld({ 'play.yaml': JSON.stringify([play]) });
    const { result } = await playHere(world, {}).finally(() => world.remove());
    expect(result('inner')['failed']).to.equal(true);
  });
});
