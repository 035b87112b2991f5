import { defineConversation } from '../engine/module.ts';
import { object, raw } from '../shared/schema.ts';

export const fail = defineConversation({
  name: 'fail',
  aliases: ['ansible.builtin.fail'],
  summary: 'Fail with a message of your own.',
  local: true,

  args: object({
    msg: raw('Why the task fails.', { default: 'Failed as requested from task' }),
  }),

  examples: [{ title: 'Stop on a host without swap', args: { msg: 'This host has no swap' } }],

  returns: {},

  async run(_conversation, { msg }) {
    return { result: { failed: true, msg } };
  },
});
