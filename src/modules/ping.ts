import { defineConversation, TaskError } from '../engine/module.ts';
import { object, string } from '../shared/schema.ts';
import { sh } from '../shared/shell.ts';

export const ping = defineConversation({
  name: 'ping',
  aliases: ['ansible.builtin.ping'],
  summary: 'Check that a host can be reached and runs commands.',

  args: object({
    data: string('What to answer; `crash` makes the task fail.', { default: 'pong' }),
  }),

  examples: [
    { title: 'Check that a host answers', args: {} },
    { title: 'Make the task fail', args: { data: 'crash' } },
  ],

  returns: { ping: 'The value of `data`.' },

  async run({ host }, { data }) {
    if (data === 'crash') throw new TaskError('boom', { hint: 'data is "crash"' });
    const { stdout } = await host.read(sh`echo ${data}`);
    return { result: { ping: stdout.replace(/\n$/, '') } };
  },
});
