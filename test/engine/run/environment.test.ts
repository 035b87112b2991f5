import { expect } from 'chai';
import { makeWorld, playHere } from '../../support/play-here.ts';

type Result = Readonly<Record<string, unknown>>;

/** What a task comes to: its result, or its failure. */
async function resultOf(task: Record<string, unknown>): Promise<Result | string> {
  const tasks = [{ name: 'Task', ...task }];
  const play = [{ hosts: 'all', gather_facts: false, tasks }];
  const world = makeWorld({ 'play.yaml': JSON.stringify(play) });
  try {
    const played = await playHere(world);
    return played.failures[0] ?? played.result('Task');
  } finally {
    world.remove();
  }
}

async function stdoutOf(environment: Record<string, unknown>): Promise<unknown> {
  const command = `sh -c 'echo "$FIRST-$SECOND"'`;
  const result = await resultOf({ command, environment });
  return typeof result === 'string' ? result : result['stdout'];
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

  describe('with ANSIBLE_UNSAFE_WRITES', () => {
    const copy = { content: 'x', dest: '{{ playbook_dir }}/file' };
    const unsafe = async (value: string, args = {}) => {
      const environment = { ANSIBLE_UNSAFE_WRITES: value };
      const result = await resultOf({ copy: { ...copy, ...args }, environment });
      return JSON.stringify(result);
    };

    it('counts where the task does not say unsafe_writes', async () => {
      expect(await unsafe('yes')).to.include('"unsafe_writes":true');
      expect(await unsafe('0')).to.include('"unsafe_writes":false');
      expect(await unsafe('yes', { unsafe_writes: false })).to.include('"unsafe_writes":false');
    });

    it('fails where it is no boolean', async () => {
      expect(await unsafe('maybe')).to.match(/unsafe_writes.*maybe/);
    });
  });
});
